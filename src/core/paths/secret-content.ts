import { isConfigurationName, isSourceName, isTestPath } from './secret-candidates.ts';
import { isRealSecret, isRandomText } from './secret-values.ts';

/** The longest line that is searched; a longer one is generated text. */
const MAX_LINE = 4000;
/** A shorter line has no room for a key and a value. */
const MIN_LINE = 10;

/** Texts that are secrets wherever they are: keys, and tokens that their issuers made recognizable. */
const tokens = [
  /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/,
  /^PuTTY-User-Key-File-\d/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})/,
  /\bglpat-[\w-]{20}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{20}/,
  /\b[sr]k_live_[A-Za-z0-9]{16}/,
  /\bsk-(?:ant|proj|svcacct)-[\w-]{20}/,
  /\bSG\.[\w-]{22}\.[\w-]{20}/,
  /\bAIza[\w-]{35}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bdop_v1_[a-f0-9]{64}/,
  /\bhooks\.slack\.com\/services\/T\w{6,12}\/B\w{6,12}\/\w{20}/,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{50}/,
  /\bEAAA[\w-]{56,60}\b/,
];

/** Hashes of passwords, which can be guessed offline. */
const hashes =
  /(?:^|[\s:'"=,({])(?:\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|\$[156y]\$[^\s$]{1,40}\$[./A-Za-z0-9]{22}|\$apr1\$[^\s$]{1,16}\$|\$argon2(?:id|i|d)\$v=\d)/;
/** A URL with a password: scheme, user, password, host. */
const credentialUrl =
  /\b([a-z][a-z+]{1,15}):\/\/([^\s:@/'"<>]{1,100}):([^\s@/'"<>]{1,200})@([\w.-]{1,200})/gi;
/** A key and its value, in the forms of most configuration files: `k=v`, `k: v`, `"k": "v"`, `k="v"`, `<k>v</k>`. */
const assignment =
  /(?:^|[\s"'<,{(;&$])([A-Za-z_][\w.-]{0,60})["']?(?:\s{0,20}(?:=>|:=|=|:|,)\s{0,20}|(?:\s[^<>]{0,80})?>)(?:"([^"\n]{1,500})"|'([^'\n]{1,500})'|([^\s"'<>,;#]{1,500}))/g;
/** A user and a password as the arguments of a call that signs in. */
const signIn =
  /\b(?:login|authenticate|sign_?in)\(\s{0,4}["'][^"'\s]{1,100}@[^"'\s]{1,100}["']\s{0,4},\s{0,4}["']([^"']{6,100})["']/i;
/** A line that is nothing but a name and a long random text. */
const loneValue = /^\s{0,20}[\w.-]{1,40}\s{0,4}[:=]\s{0,4}["']?([\w+/=-]{40,500})["']?\s{0,20}$/;
/** A host or user in the same file makes a plain word next to `password` a real one. */
const account =
  /(?:^|[\s"'<,{(_])(?:[\w-]{0,20}_)?(?:host|hostname|server|user|username|login)["']?\s{0,20}[=:>]/im;

const passwordKey = /(?:^|[_.-]|[a-z](?=P))(?:pass|passwd|password|passphrase|pwd)$/i;
const compactPasswordKey =
  /^(?:db|sql|mysql|ftp|ssh|user|admin|root)?(?:pass|passwd|password|passphrase|pwd)$/i;
const secretKey =
  /(?:secret|token|api[_.-]?key|apikey|auth[_.-]?key|access[_.-]?key|private[_.-]?key|client[_.-]?key|encryption[_.-]?key|secret[_.-]?key|credentials?|_auth|authtoken|salt)$/i;
/** Keys whose values look random without being secret. */
const publicKey =
  /(?:integrity|checksum|hash|sha\d*|digest|resolved|etag|commit|revision|version|uuid|guid|fingerprint|public[_.-]?key)$/i;

/** Whether the text of a file contains credentials that look real, by what it says and what kind of file it is. */
export function holdsSecrets(path: string, text: string): boolean {
  const isConfiguration = isConfigurationName(path);
  if (!isConfiguration && !isSourceName(path)) return false;
  const isTest = isTestPath(path);
  const hasAccount = isConfiguration && account.test(text);
  return text.split('\n').some((full) => {
    if (full.length < MIN_LINE) return false;
    const line = full.slice(0, MAX_LINE);
    if (!isTest && tokens.some((token) => token.test(line))) return true;
    if (isConfiguration)
      return !isTest && (hashes.test(line) || hasCredentials(line, hasAccount) || isLone(path, line));
    return !isTest && (hasLongSecret(line) || isSignIn(line));
  });
}

function hasCredentials(line: string, hasAccount: boolean): boolean {
  for (const [, , user = '', password = '', host = ''] of line.matchAll(credentialUrl))
    if (
      isRealSecret(password) &&
      password !== user &&
      !/(^|\.)(localhost|example\.\w+|test)$|^127\./.test(host)
    )
      return true;
  for (const { key, value } of assignmentsIn(line)) {
    const isPassword = passwordKey.test(key) || compactPasswordKey.test(key);
    if (!isPassword && (!secretKey.test(key) || publicKey.test(key))) continue;
    if (!isRealSecret(value)) continue;
    if (isPassword && (/[\d\W_]/.test(value) || hasAccount)) return true;
    if (!isPassword && value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value)) return true;
  }
  return false;
}

/** In a program, a password is often an example; a long random text next to a key that says secret is not. */
function hasLongSecret(line: string): boolean {
  for (const { key, value, isQuoted } of assignmentsIn(line))
    if (
      isQuoted &&
      (secretKey.test(key) || passwordKey.test(key)) &&
      value.length >= 20 &&
      isRealSecret(value) &&
      isRandomText(value)
    )
      return true;
  return false;
}

const isSignIn = (line: string) => isRealSecret(signIn.exec(line)?.[1] ?? '');

const isLone = (path: string, line: string) => {
  const value = /\.(txt|cfg|conf|ini)$|(^|\/)[^./]+$/i.test(path) ? loneValue.exec(line)?.[1] : undefined;
  return value !== undefined && !publicKey.test(line.split(/[:=]/)[0]?.trim() ?? '') && isRandomText(value);
};

function* assignmentsIn(line: string): Generator<{ key: string; value: string; isQuoted: boolean }> {
  for (const [, key = '', double, single, bare] of line.matchAll(assignment))
    yield { key, value: double ?? single ?? bare ?? '', isQuoted: bare === undefined };
}
