import { escapeLine } from './escape-text.ts';
import type { Output } from './output.ts';

/** Prints what the daemon says about what it accepted. */
export function printWarnings(output: Output, { warnings = [] }: { warnings?: string[] | undefined }): void {
  for (const warning of warnings) output.note(`${output.paintError('yellow', '!')} ${escapeLine(warning)}`);
}
