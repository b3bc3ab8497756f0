import type { CallDiff } from '../agents/drivers/driver.ts';
import { messageOf } from '../errors.ts';
import { readFileState } from '../tools/files/file-state.ts';
import type { ChangePreview } from '../tools/tool.ts';

/** What a person is shown of a change that an agent asks for; `real` is the file that its path leads to. */
export async function previewOf(change: CallDiff, real: string): Promise<ChangePreview> {
  const { path, oldText = '', newText, diff } = change;
  const { basis, stats, text } = await readFileState(real, path);
  if (typeof text !== 'string') return { path, basis, problem: text.message };
  const before = stats ? text : undefined;
  if (newText === undefined) {
    const patched = await applied(diff ?? '', text);
    return { path, basis, ...('problem' in patched ? patched : { change: { before, after: patched.text } }) };
  }
  if (!stats || oldText === '' || oldText === text)
    return { path, basis, change: { before, after: newText } };
  const at = text.indexOf(oldText);
  if (at < 0) return { path, basis, change: { before: oldText, after: newText } };
  // A part of the file, as the agent names it.
  const after = text.slice(0, at) + newText + text.slice(at + oldText.length);
  return { path, basis, change: { before: text, after } };
}

async function applied(diff: string, text: string): Promise<{ text: string } | { problem: string }> {
  const { applyPatch } = await import('diff');
  const problem = 'The diff of the agent does not fit the file';
  try {
    const after = applyPatch(text, diff);
    // A text without hunks changes nothing.
    return after === false || after === text ? { problem } : { text: after };
  } catch (error) {
    return { problem: `${problem}: ${messageOf(error)}` };
  }
}
