import { CliError } from '../../errors/cli-error.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { describeCompaction } from '../../output/describe-compaction.ts';
import type { Cli } from '../../program/cli.ts';
import { type Interrupt, interruptCodes, onInterrupt } from '../run/on-interrupt.ts';
import type { ChatSettings } from './chat-settings.ts';
import { compactConversation } from './compact-conversation.ts';
import { continueHint } from './continue-hints.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

interface Options {
  settings: ChatSettings;
  conversation?: string | undefined;
  json?: boolean | undefined;
  jsonl?: boolean | undefined;
}

/** `/compact` without the full-screen interface: the summary on stdout, what it saved on stderr. */
export async function compactPlainly(
  cli: Cli,
  keep: string,
  { conversation: id, settings, json, jsonl }: Options,
): Promise<ExitCode> {
  const { output } = cli;
  if (id === undefined)
    throw new CliError(exitCodes.usage, 'There is no conversation to compact.', {
      next: 'Name it: svc chat -c --plain /compact, or svc chat -c ID --plain /compact',
    });
  const stopping = new AbortController();
  let interrupt: Interrupt | undefined;
  const forget = onInterrupt((signal) => {
    interrupt = signal;
    stopping.abort();
  });
  try {
    const answer = await whileWaiting(
      output,
      { isShown: !json && !jsonl, text: 'summarizing the conversation' },
      () =>
        compactConversation(
          cli.connect().client,
          { id, keep, settings },
          AbortSignal.any([stopping.signal, output.closed]),
        ),
    );
    if (json) output.json(answer);
    else if (jsonl) output.jsonLine(answer);
    else output.text(`${answer.summary}\n`);
    output.note(
      `${output.paintError('green', '✓')} ${describeCompaction(answer.compaction)}  ${continueHint(id)}`,
    );
    return exitCodes.done;
  } catch (error) {
    if (interrupt === undefined) throw error;
    throw new CliError(interruptCodes[interrupt], 'Interrupted; nothing was compacted.');
  } finally {
    forget();
  }
}
