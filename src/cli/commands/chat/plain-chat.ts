import type { RunEvent } from '../../../contract/run-events.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes, type ExitCode } from '../../errors/exit-codes.ts';
import { type Interrupt, interruptCodes, onInterrupt } from '../run/on-interrupt.ts';
import { readPrompt } from '../run/read-prompt.ts';
import { answerApproval, type OnApproval } from './answer-approval.ts';
import { beginConversation, findConversation } from './choose-conversation.ts';
import type { ChatSettings } from './chat-settings.ts';
import { PlainTranscript } from './plain-transcript.ts';
import { runFailure } from './run-failure.ts';
import { sendMessage } from './send-message.ts';

export interface PlainOptions {
  settings: ChatSettings;
  conversation?: string | undefined;
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
  const id =
    options.conversation === undefined
      ? (await beginConversation(connection, process.cwd())).id
      : await findConversation(client, options.conversation);

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
  let isComplete = false;
  try {
    const signal = AbortSignal.any([stopping.signal, output.closed]);
    for await (const event of sendMessage(client, id, message, options.settings, signal)) {
      taskId = taskIdOf(event) ?? taskId;
      if (options.jsonl) output.jsonLine(event);
      transcript.add(event);
      if (event.type === 'complete') isComplete = true;
      if (event.type === 'error') failure = runFailure(event.data);
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
      throw error instanceof CliError || !isBroken(error) ? error : connectionLost(taskId, error);
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
  if (!isComplete) throw connectionLost(taskId, undefined);
  if (options.json) output.json(await client.conversations.get({ params: { id } }));
  output.note(output.paintError('dim', `${transcript.summary}  ${continueHint(id)}`));
  return exitCodes.done;
}

const continueHint = (id: string) => `Continue: svc chat -c ${id}`;

function taskIdOf({ type, data }: RunEvent): string | undefined {
  return type === 'user_message' || type === 'session:start' ? data.taskId : undefined;
}

const isBroken = (error: unknown) => error instanceof Error && 'code' in error;

const connectionLost = (taskId: string | undefined, cause: unknown) =>
  new CliError(
    exitCodes.unreachable,
    'The connection to the daemon was lost before the answer was complete.',
    {
      next:
        taskId === undefined
          ? 'See: svc daemon status'
          : `The task may still be running: svc tasks show ${taskId}`,
      cause,
    },
  );
