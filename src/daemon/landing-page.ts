import { byWireNames, productNames } from '../contract/vendors.ts';

/** The start page, with the signed-in user or the sign-in forms. Its script redeems the token of a sign-in link. */
export const landingPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 34rem; margin: 15vh auto 0; padding: 0 1.5rem; }
  h1 { margin: 0 0 1rem; font-size: 1.5rem; }
  form { display: grid; gap: .75rem; margin: 1.5rem 0; }
  label { display: grid; gap: .25rem; font-size: .9rem; }
  input, button { font: inherit; padding: .5rem .75rem; border-radius: .4rem; border: 1px solid #8888; }
  button { cursor: pointer; background: #2563eb; border-color: #2563eb; color: #fff; }
  footer { margin-top: 3rem; font-size: .9rem; } footer a { margin-right: 1rem; }
  [hidden] { display: none; }
</style>
<script src="/landing.js" defer></script>
</head>
<body>
<h1>svc</h1>
<p id="state" role="status">This daemon runs tasks for AI agents.</p>
<form id="with-key" hidden>
  <label>Access key <input name="key" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
</form>
<form id="with-password" hidden>
  <label>E-mail <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
</form>
<form id="with-link" hidden><button>Sign this browser in</button></form>
<form id="out" hidden><button>Sign out</button></form>
<footer><a href="/api/docs">API</a><a href="/api/openapi.json">OpenAPI document</a></footer>
</body>
</html>
`;

/** Runs in the browser; tokens are never in a URL that the server sees. */
export const landingScript = `'use strict';
const part = (id) => document.getElementById(id);
const say = (text) => { part('state').textContent = text; };
async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body && JSON.stringify(body),
  });
  return { ok: response.ok, body: await response.json().catch(() => ({})) };
}
const products = ${JSON.stringify(byWireNames(productNames))};
async function show() {
  const { body } = await call('GET', '/api/auth/me');
  const isIn = body.authenticated === true;
  part('out').hidden = !isIn;
  part('with-key').hidden = isIn || body.authMode !== 'local' || !body.accessKeyRequired;
  part('with-password').hidden = isIn;
  if (isIn) {
    const connected = body.user.connectedAccounts.map((name) => products[name]).join(', ');
    say('Signed in as ' + body.user.name + ' <' + body.user.email + '>, ' + body.user.role + '.' +
      (connected && ' Connected: ' + connected + '.'));
  }
  else say(body.authMode === 'cloud' ? 'Sign in to your account.' : 'Sign in with the access key or with an account, or create a sign-in link: svc auth link');
}
async function act(path, body) {
  const answer = await call('POST', path, body);
  if (answer.ok && answer.body.returnTo) return location.assign(answer.body.returnTo);
  await show();
  if (!answer.ok) say(answer.body.error || 'The request failed.');
}
function onSubmit(id, path) {
  part(id).addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.target));
    event.target.reset();
    act(path, Object.keys(fields).length > 0 ? fields : undefined);
  });
}
onSubmit('with-key', '/api/auth/verify-access-key');
onSubmit('with-password', '/api/auth/login');
onSubmit('out', '/api/auth/logout');
const token = location.pathname === '/sign-in' ? location.hash.slice(1) : '';
if (token) {
  history.replaceState(null, '', '/');
  // Anyone can send a link, so the user must confirm.
  say('This link signs this browser in and replaces the current session. Continue only if you created it.');
  part('with-link').hidden = false;
  part('with-link').addEventListener('submit', (event) => {
    event.preventDefault();
    part('with-link').hidden = true;
    act('/api/auth/sign-in-links/redeem', { token });
  });
} else show();
`;
