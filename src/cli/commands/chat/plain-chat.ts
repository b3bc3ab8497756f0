import { MAX_ROUND_TRIPS } from '../../../contract/conversations.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes, type ExitCode } from '../../errors/exit-codes.ts';
import { type Interrupt, interruptCodes, onInterrupt } from '../run/on-interrupt.ts';
import { readPrompt } from '../run/read-prompt.ts';
import { answerApproval, type OnApproval } from './answer-approval.ts';
import { beginConversation } from './choose-conversation.ts';
import { compactPlainly } from './compact-plainly.ts';
import { continueHint, continueTurnHint } from './continue-hints.ts';
import type { ChatSettings } from './chat-settings.ts';
import { PlainTranscript } from './plain-transcript.ts';
import { runFailure } from './run-failure.ts';
import { sendMessage } from './send-message.ts';

export interface PlainOptions {
  settings: ChatSettings;
  /** The id of the conversation to continue; otherwise the message begins one. */
  conversation?: string | undefined;
  /** Where it works, if that is another directory. */
  directory?: string | undefined;
  onApproval?: OnApproval | undefined;
  json?: boolean | undefined;
  jsonl?: boolean | undefined;
}

/** One message and its answer, without the full-screen interface: the answer on stdout, everything else on stderr. */
export async function chatPlainly(cli: Cli, words: string[], options: PlainOptions): Promise<ExitCode> {
  const { output } = cli;
  const message = await readPrompt(words, undefined, 'svc chat');
  const connection = cli.connect();
  const { client } = connection;
  const keep = /^\/compact(?:\s+([^]*))?$/.exec(message.trim());
  if (keep) return compactPlainly(cli, keep[1] ?? '', options);
  const id =
    options.conversation ?? (await beginConversation(connection, process.cwd(), options.settings.agent)).id;

  const stopping = new AbortController();
  let interrupt: Interrupt | undefined;
  let taskId: string | undefined;
  const stop = async () => {
    // An agentic run is a task that continues without a reader, so it is cancelled first.
    if (taskId !== undefined) await client.tasks.cancel({ params: { id: taskId } }).catch(() => undefined);
    stopping.abort();
  };
  const forget = onInterrupt((signal) => {
    interrupt = signal;
    void stop();
  });
  const transcript = new PlainTranscript(output, { isAnswerShown: !options.json && !options.jsonl });
  let failure: CliError | undefined;
  let complete: Extract<RunEvent, { type: 'complete' }>['data'] | undefined;
  try {
    const signal = AbortSignal.any([stopping.signal, output.closed]);
    for await (const event of sendMessage(client, id, message, options.settings, signal)) {
      taskId = taskIdOf(event) ?? taskId;
      if (options.jsonl) output.jsonLine(event);
      transcript.add(event);
      if (event.type === 'complete') complete = event.data;
      if (event.type === 'error')
        failure = runFailure(
          event.data,
          options.settings.isAgentic ? { agentic: { id, cwd: options.directory } } : {},
        );
      if (event.type === 'approval:requested')
        await answerApproval(cli, event.data.approval, options.onApproval);
    }
  } catch (error) {
    if (output.closed.aborted) {
      await stop();
      return exitCodes.done;
    }
    if (interrupt === undefined) {
      await stop();
      throw error instanceof CliError || !isBroken(error) ? error : connectionLost(id, taskId, error);
    }
  } finally {
    forget();
  }
  transcript.finish();
  if (interrupt !== undefined)
    throw new CliError(interruptCodes[interrupt], 'Interrupted; the answer was stopped.', {
      next: continueHint(id),
    });
  if (failure) throw failure;
  if (!complete) throw connectionLost(id, taskId, undefined);
  if (options.json) output.json(await client.conversations.get({ params: { id } }));
  if (complete.finishReason === 'max_round_trips')
    output.note(
      `${output.paintError('yellow', '!')} Stopped at the limit of ${complete.maxRoundTrips ?? MAX_ROUND_TRIPS} tool round trips.  ${continueTurnHint(id)}`,
    );
  output.note(output.paintError('dim', `${transcript.summary}  ${continueHint(id)}`));
  return exitCodes.done;
}

function taskIdOf({ type, data }: RunEvent): string | undefined {
  return type === 'user_message' || type === 'session:start' ? data.taskId : undefined;
}

const isBroken = (error: unknown) => error instanceof Error && 'code' in error;

const connectionLost = (id: string, taskId: string | undefined, cause: unknown) =>
  new CliError(
    exitCodes.unreachable,
    'The connection to the daemon was lost before the answer was complete.',
    {
      next:
        taskId === undefined
          ? `See: svc daemon status. ${continueTurnHint(id)}`
          : `The task may still be running: svc tasks show ${taskId}`,
      cause,
    },
  );
