const { fstatSync } = process.getBuiltinModule('node:fs');

/** Whether input is piped in; a terminal would never end, and /dev/null has none. */
export function isStdinGiven(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // Started with stdin closed.
    return false;
  }
}

/** All of stdin as text. */
export async function readStdin(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
