/** The bytes of base64, or undefined where another text would stand for the same bytes, or none at all. */
export function decodeBase64(text: string, bytes: number): Buffer | undefined {
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === text ? decoded : undefined;
}
