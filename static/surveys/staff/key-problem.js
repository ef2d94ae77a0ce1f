// A security key that does not answer is said on the page, not only to the console.
"use strict";

document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("key-problem").hidden = false;
});
