const MAX_LENGTH = 300;

/** Patterns of keys, complete or masked with stars: a known prefix, or a long run of letters and digits. */
const keyLike = [
  /\b(?:bearer|basic)\s+\S+/gi,
  /\b(?:sk|pk|rk|gsk|xai|csk|pplx|fw|nvapi|tgp)[-_][\w*.…-]{4,}/gi,
  /\bAIza[\w*-]{4,}/g,
  /(?<![\w-])[\w-]*\*{2,}[\w*-]*/g,
  /\b(?=[\w]*\d)(?=[\w]*[a-z])\w{28,}\b/gi,
];

/** The text of a vendor as one short line, without control characters and with everything redacted that looks like a key. */
export function safeText(text: string, secrets: readonly string[]): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, '••••');
  safe = safe
    .slice(0, 4000)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  for (const pattern of keyLike) safe = safe.replaceAll(pattern, '••••');
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH - 1)}…` : safe;
}

/** The last four characters of a long key, so that people can recognize it; nothing of a short one. */
export const maskKey = (key: string): string => (key.length > 12 ? `…${key.slice(-4)}` : '••••');
