"""Print the codes of a survey's page as it is served, to compare with those that `deniable fingerprint`, sheets and mails say. Exit 1: not
as expected; 2: refused. Not compared: the random key in own-coin/, and all of own-coin/ where items are rated: the server draws them there."""
import argparse, base64, hashlib, http.client, json, re, sys, time, urllib.request, zlib
MOST = 8_000_000  # bytes of one file; the largest one of a survey has some hundred thousand
COMPARED = ["content-security-policy", "cross-origin-opener-policy", "cross-origin-resource-policy", "integrity-policy", "permissions-policy", "referrer-policy", "x-content-type-options", "x-frame-options"]
HARMLESS = {"access-control-allow-origin": r"\*", "alt-svc": r'h3=":\d+"(; ma=\d+)?', "content-encoding": "gzip", "content-length": "[0-9]+"} | dict.fromkeys(["cache-control", "connection", "via", "vary", "content-language", "content-type", "date", "server", "strict-transport-security"], "[ -~]*")
TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "json": "application/json"}
# A page is text and tags of this one shape, so that no browser reads it in another way.
TAGS = ["a", "b", "bdi", "body", "button", "caption", "code", "dd", "details", "div", "dl", "dt", "fieldset", "footer", "form", "h1", "h2", "h3", "head", "html", "input", "label", "legend", "li", "link", "main", "meta", "noscript", "ol", "optgroup", "option", "p", "pre", "progress", "script", "section", "select", "span", "summary", "table", "tbody", "td", "template", "textarea", "th", "thead", "title", "tr", "ul"]
ATTRIBUTE = r'\s+(?!on|style|form|http|ping|is=|srcset|popover|command|shadow)[a-z][a-z-]*(?:="[^"<>]*")?'
TAG = re.compile(rf"</?(?:{'|'.join(TAGS)})(?:{ATTRIBUTE})*\s*>")
STRANGE = re.compile(r'<script(?! type="module" src="[^"]+"\s+integrity="sha384-[^"]+"></script>)|<meta(?! (?:charset|name="(?:viewport|robots|color-scheme)" content)="[^"]*">)'
                     r'|<link(?! rel="(?:icon" type="image/svg.xml"|stylesheet") href="[^"]+"(?:(?<=svg")>|\s+integrity="sha384-))'
                     r'|<form(?! method="post" action="\.\./(?:send|door)/")|\s(?:src|href|action)="(?!(?!//)[\w./?=#-]*")')
VARIES = r'(name="key" value="|<code id="page-digest">)([0-9a-f]{32,64})'  # in each fetch, or itself
def need(holds, problem):
    if not holds: raise ValueError(problem)
def sha(label, content):
    return hashlib.sha256(b"".join(len(p).to_bytes(4, "big") + p for p in (label, content))).digest()
class Plain(http.client.HTTPResponse):
    def _read_status(self):  # Python takes +200 for 200, and passes over replies before it that browsers show
        line = self.fp.readline(999)
        need(re.fullmatch(rb"HTTP/1\.[01] 200( [ -~]*)?\r\n", line), f"the server replies {line!r}")
        return "HTTP/1.1", 200, ""
http.client.HTTPConnection.response_class = Plain
def fetch(url, proxy):
    asked = urllib.request.Request(url, headers={"Accept-Encoding": "gzip", "User-Agent": "Mozilla/5.0"})
    with urllib.request.build_opener(urllib.request.ProxyHandler(dict.fromkeys(["http", "https"], proxy) if proxy else {})).open(asked, timeout=60) as reply:
        headers, body, end = {name.lower(): value for name, value in reply.getheaders()}, b"", time.monotonic() + 300
        strange = [name for name in headers if name not in COMPARED and not re.fullmatch(HARMLESS.get(name, "(?!)"), headers[name])]
        need(not (strange or reply.headers.defects or reply.headers.get_payload() or len(headers) < len(reply.headers)), f"{url}: headers that are strange {strange}, doubled or broken")
        while len(body) <= MOST and time.monotonic() < end and (piece := reply.read1(65536)): body += piece
    need(int(headers.get("content-length", len(body))) == len(body) <= MOST and time.monotonic() < end, f"{url}: longer or shorter than it says, endless or slow")
    kind = headers.get("content-type", "").replace('"', "").lower().removesuffix("; charset=utf-8")
    is_right = kind == TYPES.get(re.search(r"(?:\.([^/.]+))?$", url)[1], "text/html")
    need(is_right and (kind != "text/html" or headers.get("cache-control") == "no-store"), f"{url}: is {kind}, or browsers would keep it")
    if "content-encoding" in headers:
        body = (unpack := zlib.decompressobj(31)).decompress(body, MOST + 1)
        need(unpack.eof and not unpack.unused_data, f"{url}: cut, or more behind its end")
    return {name: headers[name] for name in COMPARED if name in headers}, body
def loads(url, page):
    strange = re.search("<.{,80}", TAG.sub("", page.removeprefix("<!doctype html>"))) or STRANGE.search(page)
    need(not strange, f"{url}: strange markup {strange and strange[0]!r}")
    files = dict.fromkeys(re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css|svg))"', page), "")
    return files | dict(re.findall(r'(?:src|href|data-items)="([^"]+)"\s+(?:data-)?integrity="([^"]+)"', page))
def codes(site, proxy):
    same, files, loaded, varying, path = {}, {}, {}, {}, re.sub("https?://[^/]+", "", site)
    need(re.fullmatch("/[a-z]{2}/s/[0-9a-f-]{36}/", path), "this is no address of a survey's first page")
    for name in ("", "how-it-works/", "own-coin/", "check/", "revision.json"):
        headers, body = fetch(site + name, proxy)
        if name != "revision.json":
            same = same or headers
            loaded |= loads(site + name, body.decode())
            need(same == headers and (name or b"<form" not in body), f"{site}{name}: headers or a form")
            varying |= dict(re.findall(VARIES, body.decode()))
            body = re.sub(VARIES, lambda hit: hit[1] + "0" * len(hit[2]), body.decode()).encode()
        files |= {path + name: body} if name != "own-coin/" or b'data-items="' not in files[path] else {}  # rated items differ there
    need(b'"survey":"%s"' % path[-37:-1].encode() in body, f"{path}revision.json: not of this survey")
    need(b'data-items="' in files[path] or b'"kind":"rating"' not in body, "the server draws what each person rates: it cannot be compared")
    number = int.from_bytes(sha(b"deniable revision 1", body)[:20], "big")
    digits = ((number << 10 | number % 1021) >> 5 * at & 31 for at in range(33, -1, -1))
    for name, integrity in loaded.items():
        file = urllib.parse.urljoin(path, name)
        _, files[file] = fetch(urllib.parse.urljoin(site, name), proxy)
        need(integrity in ("", "sha384-" + base64.b64encode(hashlib.sha384(files[file]).digest()).decode()), f"{name}: not what the page says of it")
    files = {path: hashlib.sha256(body).hexdigest() for path, body in files.items()}
    written = json.dumps({"files": files, "headers": same, "language": site.split("/")[3]}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    printed = "".join(map("0123456789abcdefghjkmnpqrstvwxyz".__getitem__, digits))
    return sha(b"deniable page 1", written.encode()).hex(), printed, files, varying.values()
parser = argparse.ArgumentParser(description=__doc__)
for name in ("url", "--expect", "--proxy"): parser.add_argument(name)
asked = parser.parse_args()
try:
    page, printed, files, said = codes(asked.url, asked.proxy)
except (ValueError, OSError, http.client.HTTPException, zlib.error) as problem:
    sys.exit(print(f"refused: {problem}", file=sys.stderr) or 2)
print(f"page {page}\nrevision {printed}")
expected = (page if asked.expect is None else asked.expect).lower().translate(str.maketrans("ilo", "110", "- "))
if expected not in (page, printed) or page not in said:  # check/ may say another code than the page has
    sys.exit(print("differs", *map(" ".join, files.items()), sep="\n") or 1)
