/** Why a file could not be used, without what the system calls it: `no such file or directory`. */
export const formatFileError = (error: unknown): string =>
  error instanceof Error ? withoutCall(error.message.replace(/^E[A-Z]+: /, '')) : String(error);

/** Without the end of `no such file or directory, open '/a/b'`. */
function withoutCall(message: string): string {
  const call = /, \w+(?: '|$)/.exec(message);
  return call && (call.index + call[0].length === message.length || message.endsWith("'"))
    ? message.slice(0, call.index)
    : message;
}
