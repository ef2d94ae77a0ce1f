// Folds stay as the reader left them while the tab is open; where it may not store, they start closed.
const key = `folds of ${location.pathname}`;
let open = new Set();
try { open = new Set(JSON.parse(sessionStorage.getItem(key) ?? '[]')); } catch { /* as if nothing was kept */ }

for (const fold of document.querySelectorAll('details[id]')) {
  fold.open ||= open.has(fold.id);
  fold.addEventListener('toggle', () => {
    if (fold.open) open.add(fold.id); else open.delete(fold.id);
    try { sessionStorage.setItem(key, JSON.stringify([...open])); } catch { /* the fold still opens */ }
  });
}

// A link to what is inside or is a fold opens it.
addEventListener('hashchange', reveal);
reveal();
function reveal() {
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest('details')?.setAttribute('open', '');
}
