const SEED_BYTES = 32;

/** The 32 bytes of a master seed in the content of its file, which has them raw, in hex or in base64; else undefined. */
export function parseMasterSeed(content: Uint8Array): Uint8Array | undefined {
  if (content.length === SEED_BYTES) return content;
  const text = new TextDecoder().decode(content).trim();
  if (/^[0-9a-f]{64}$/i.test(text))
    return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  // 43 letters hold two bits too many, which `atob` ignores.
  if (/^[\w+/-]{43}=?$/.test(text))
    return Uint8Array.from(
      atob(text.replace('=', '').replaceAll('-', '+').replaceAll('_', '/')),
      (letter) => letter.codePointAt(0) ?? 0,
    );
  return undefined;
}
