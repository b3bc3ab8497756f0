import * as acp from '@agentclientprotocol/sdk';
import { createAcpAgent } from '../../src/cli/commands/acp/acp-agent.ts';
import type { AcpDeps } from '../../src/cli/commands/acp/acp-deps.ts';
import type { TestDaemon } from './daemon.ts';

type Answer = (
  request: acp.RequestPermissionRequest,
  signal: AbortSignal,
) => acp.RequestPermissionOutcome | Promise<acp.RequestPermissionOutcome>;

/** An editor, which the project did not write, on the agent of `svc acp`. */
export interface AcpEditor extends AsyncDisposable {
  agent: acp.ClientContext;
  updates: acp.SessionUpdate[];
  asked: acp.RequestPermissionRequest[];
  /** What was reported to its log. */
  logged: string[];
  /** How the person decides from now on. */
  answer: Answer;
  /** Resolves with the first update that matches, also one of before. */
  saw(matches: (update: acp.SessionUpdate) => boolean): Promise<acp.SessionUpdate>;
}

export const choose = (optionId: string): acp.RequestPermissionOutcome => ({ outcome: 'selected', optionId });

/** The texts of the chunks of one kind, joined. */
export const textOf = (
  updates: readonly acp.SessionUpdate[],
  kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk' = 'agent_message_chunk',
): string =>
  updates
    .map((update) =>
      update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : '',
    )
    .join('');

/** Collects the updates and answers the questions of an agent; `connect` opens the connection to it. */
export async function openEditor(
  connect: (app: acp.ClientApp) => acp.ClientConnection,
  capabilities: acp.ClientCapabilities = {},
): Promise<AcpEditor & { initialized: acp.InitializeResponse }> {
  const waiting: {
    matches: (update: acp.SessionUpdate) => boolean;
    found: (update: acp.SessionUpdate) => void;
  }[] = [];
  const updates: acp.SessionUpdate[] = [];
  const asked: acp.RequestPermissionRequest[] = [];
  const app = acp
    .client({ name: 'test-editor' })
    .onNotification(acp.methods.client.session.update, ({ params: { update } }) => {
      updates.push(update);
      for (const { matches, found } of waiting) if (matches(update)) found(update);
    })
    .onRequest(acp.methods.client.session.requestPermission, async ({ params, signal }) => {
      asked.push(params);
      return { outcome: await editor.answer(params, signal) };
    });
  const connection = connect(app);
  const initialized = await connection.agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  });
  const editor = {
    agent: connection.agent,
    initialized,
    updates,
    asked,
    logged: [] as string[],
    answer: (() => choose('allow-once')) as Answer,
    saw(matches: (update: acp.SessionUpdate) => boolean) {
      const known = updates.find(matches);
      if (known) return Promise.resolve(known);
      return new Promise<acp.SessionUpdate>((found) => waiting.push({ matches, found }));
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      await connection.closed;
    },
  };
  return editor;
}

/** An editor on an agent in this process, which is a client of the daemon. */
export async function editorOf(
  { client, url }: Pick<TestDaemon, 'client' | 'url'>,
  { capabilities, ...deps }: Partial<AcpDeps> & { capabilities?: acp.ClientCapabilities } = {},
): Promise<AcpEditor & { initialized: acp.InitializeResponse }> {
  const logged: string[] = [];
  const { app, close } = createAcpAgent({
    connection: {
      client,
      decide: (id, body) => client.approvals.decide({ params: { id }, body }),
      target: { url, isLocal: true } as AcpDeps['connection']['target'],
      credential: { text: 'of the owner', from: 'owner' },
    },
    settings: { isAgentic: false },
    mode: undefined,
    version: '1.2.3',
    formatError: (error) => (error instanceof Error ? error.message : String(error)),
    log: (text) => logged.push(text),
    ...deps,
  });
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toEditor = new TransformStream<Uint8Array, Uint8Array>();
  const served = app.connect(acp.ndJsonStream(toEditor.writable, toAgent.readable));
  const editor = await openEditor(
    (clientApp) => clientApp.connect(acp.ndJsonStream(toAgent.writable, toEditor.readable)),
    capabilities,
  );
  const { [Symbol.asyncDispose]: dispose } = editor;
  return Object.assign(editor, {
    logged,
    async [Symbol.asyncDispose]() {
      served.close();
      await close();
      await dispose();
    },
  });
}

/** What a promise is rejected with; undefined where it is not. */
export const failure = (promise: Promise<unknown>): Promise<acp.RequestError | undefined> =>
  promise.then(
    () => undefined,
    (error: unknown) => error as acp.RequestError,
  );

/** Sends a text to a session. */
export const promptText = (editor: AcpEditor, sessionId: string, text: string): Promise<acp.PromptResponse> =>
  editor.agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });

/** Whether an update gives a call this status. */
export const isCall = (status: string) => (update: acp.SessionUpdate) =>
  update.sessionUpdate.startsWith('tool_call') && 'status' in update && update.status === status;
