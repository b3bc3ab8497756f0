/** Why a file could not be used, without what the system calls it: `no such file or directory`. */
export const formatFileError = (error: unknown): string =>
  error instanceof Error
    ? error.message.replace(/^E[A-Z]+: /, '').replace(/, \w+(?: '.*')?$/, '')
    : String(error);
