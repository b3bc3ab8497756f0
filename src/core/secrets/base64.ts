/** Decodes base64 to the given number of bytes; undefined unless the text is the canonical encoding of them. */
export function decodeBase64(text: string, bytes: number): Buffer | undefined {
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === text ? decoded : undefined;
}
