/** Terminals refuse longer sequences: xterm at 100,000 bytes of base64. */
const MOST_BYTES = 74_000;

/** The sequence that makes a terminal copy a text to the clipboard (OSC 52); undefined where the text is too long for it. */
export function copySequence(text: string, env: Record<string, string | undefined>): string | undefined {
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES) return undefined;
  const sequence = `\u001b]52;c;${bytes.toString('base64')}\u0007`;
  // GNU Screen passes on only what is wrapped; tmux takes it as it is.
  return env['TERM']?.startsWith('screen') && env['TMUX'] === undefined
    ? `\u001bP${sequence}\u001b\\`
    : sequence;
}
