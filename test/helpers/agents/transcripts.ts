import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type {
  AgentCall,
  AgentUsage,
  CreateDriver,
  PermissionQuestion,
  PlanEntry,
  TurnEnd,
} from '../../../src/core/agents/drivers/driver.ts';
import { hasSharedFixtures } from '../shared-fixture.ts';

/** Without links, which a sandbox would not show. */
const shared = realUrl(new URL('../../../../shared/', import.meta.url));
/** Plays a recorded transcript as if it were the agent. */
export const player: string = fileURLToPath(new URL('tools/agent-player.mjs', shared));
function realUrl(url: URL): URL {
  return existsSync(url) ? pathToFileURL(`${realpathSync(url)}/`) : url;
}
/** Only ends a broken test. */
const LIMIT_MS = 60_000;

type Decision = 'allow_once' | 'allow_always' | 'reject_once' | 'cancelled';

interface ExpectedCall {
  kind: string;
  input?: Record<string, unknown>;
  status?: string;
  output?: string;
}
/** What an adapter has to report of a transcript. */
export interface Transcript {
  agent: string;
  scenario: string;
  argv: string[];
  prompts: string[];
  decide: Decision[];
  cancel?: 'text' | 'tool' | 'permission';
  mode?: string;
  model?: string;
  resumeOf?: string;
  /** The agent stayed silent: its caller has to end it. */
  note?: string;
  /** How the agent itself reported it. */
  seen: { error: { code?: number; message: string; data?: Record<string, unknown> } | null };
  expect: {
    outcome: TurnEnd['outcome'];
    failureClass?: string;
    text: string;
    thinking?: string;
    plan?: PlanEntry[];
    toolCalls: ExpectedCall[];
    permissions: { kind: string; input?: Record<string, unknown>; decision: string }[];
    usage: Partial<AgentUsage> | null;
    sessionId: string | null;
  };
}

/** The recorded scenarios of an agent, those of this repository among them; none where there are no fixtures. */
export function scenariosOf(agent: string): string[] {
  if (!hasSharedFixtures) return [];
  const folders = [
    new URL(`fixtures/agents/${agent}`, shared),
    new URL(`../../fixtures/agents/${agent}`, import.meta.url),
  ];
  return folders
    .map((folder) => fileURLToPath(folder))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.replace(/\.jsonl$/, ''))
    .sort();
}

export function transcriptPath(agent: string, scenario: string): string {
  const own = fileURLToPath(new URL(`../../fixtures/agents/${agent}/${scenario}.jsonl`, import.meta.url));
  return existsSync(own) ? own : fileURLToPath(new URL(`fixtures/agents/${agent}/${scenario}.jsonl`, shared));
}

/** The lines that a recorded agent wrote to stdout. */
export const recordedOutput = (agent: string, scenario: string): string[] =>
  readFileSync(transcriptPath(agent, scenario), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { dir: string; line: string })
    .filter(({ dir }) => dir === 'out')
    .map(({ line }) => line);

export function readTranscript(agent: string, scenario: string): Transcript {
  const path = transcriptPath(agent, scenario).replace(/\.jsonl$/, '.meta.json');
  return JSON.parse(readFileSync(path, 'utf8')) as Transcript;
}

/** What a driver reported while a transcript was played. */
export interface Played {
  expected: Transcript['expect'];
  end: TurnEnd | undefined;
  /** The text of all turns as it came. */
  text: string;
  /** The text of each turn, as its end reports it. */
  texts: string[];
  thinking: string;
  plan: PlanEntry[] | undefined;
  calls: AgentCall[];
  questions: (PermissionQuestion & { decision: string })[];
  usage: AgentUsage | undefined;
  sessionId: string | undefined;
  exit: { code: number | null; signal: NodeJS.Signals | null };
  stderr: string;
}

/** Drives the player of a transcript to its end; one that stays silent ends after its first prompt. */
export async function playTranscript(
  agent: string,
  scenario: string,
  createDriver: CreateDriver,
): Promise<Played> {
  const transcript = readTranscript(agent, scenario);
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'play-')));
  // A driver never allows more than one call: where the recording did, the player goes on as recorded.
  const loose = transcript.decide.includes('allow_always') ? ['--loose'] : [];
  const child = spawn(
    process.execPath,
    [player, transcriptPath(agent, scenario), ...loose, '--', ...transcript.argv],
    {
      cwd,
      env: { PATH: process.env['PATH'], HOME: homedir() },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => undefined);
  const exited = new Promise<Played['exit']>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  );
  const seen: Omit<Played, 'exit' | 'stderr' | 'expected'> = {
    end: undefined,
    text: '',
    texts: [],
    thinking: '',
    plan: undefined,
    calls: [],
    questions: [],
    usage: undefined,
    sessionId: undefined,
  };
  const { cancel: cancelAt, decide } = transcript;
  let isCancelled = false;
  const cancelOnce = (at: NonNullable<Transcript['cancel']>) => {
    if (cancelAt !== at || isCancelled) return;
    isCancelled = true;
    setImmediate(() => driver.cancel());
  };
  // A tool runs once every question before it is answered.
  const cancelInTool = () => {
    if (seen.questions.length >= transcript.expect.permissions.length) cancelOnce('tool');
  };
  const driver = createDriver((message) => child.stdin.write(`${JSON.stringify(message)}\n`), {
    onSession: (id) => (seen.sessionId = id),
    onText: (delta) => {
      seen.text += delta;
      if (seen.text.length > 20) cancelOnce('text');
    },
    onThinking: (delta) => (seen.thinking += delta),
    onCall: (call) => {
      if (!seen.calls.includes(call)) seen.calls.push(call);
      if (call.status === 'in_progress' || call.status === 'pending') cancelInTool();
    },
    onPlan: (entries) => (seen.plan = entries),
    onUsage: (usage) => (seen.usage = usage),
    onStep: () => undefined,
    onNote: () => undefined,
    ask: async (question) => {
      const wanted =
        cancelAt === 'permission' ? 'none' : decide[Math.min(seen.questions.length, decide.length - 1)];
      seen.questions.push({ ...question, decision: wanted ?? 'allow_once' });
      if (wanted === 'none') {
        cancelOnce('permission');
        // Nobody answers: the driver has to, when it cancels.
        return new Promise<never>(() => undefined);
      }
      if (wanted?.startsWith('allow')) {
        cancelInTool();
        return { decision: 'allow' };
      }
      return wanted === 'cancelled'
        ? { decision: 'cancelled' }
        : { decision: 'deny', reason: 'A person said no.' };
    },
  });
  createInterface({ input: child.stdout }).on('line', (line) => driver.receive(line));
  const closed = exited.then((exit) => driver.close(exit, stderr));
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const opened = await driver.open({
    cwd,
    resume: transcript.resumeOf && (readTranscript(agent, transcript.resumeOf).expect.sessionId ?? undefined),
    model: transcript.model,
    mode: transcript.mode,
    mcpServers: scenario.startsWith('mcp-tool')
      ? [{ name: 'eco', command: process.execPath, args: ['echo-mcp.mjs'], env: {} }]
      : [],
    isSandboxed: false,
  });
  if ('failure' in opened) seen.end = { outcome: 'failed', text: '', failure: opened.failure };
  else
    for (const prompt of transcript.prompts) {
      const turn = driver.prompt(prompt);
      if (transcript.note !== undefined) child.stdin.end();
      seen.end = await turn;
      seen.texts.push(seen.end.text);
      if (seen.end.outcome !== 'completed') break;
    }
  child.stdin.end();
  const gone = setTimeout(() => child.kill('SIGTERM'), transcript.note === undefined ? LIMIT_MS : 1000);
  const exit = await exited;
  await closed;
  clearTimeout(limit);
  clearTimeout(gone);
  rmSync(cwd, { recursive: true, force: true });
  return { ...seen, exit, stderr, expected: unmasked(transcript.expect, cwd) };
}

/** The recordings name places by these words. */
function unmasked<T>(value: T, cwd: string): T {
  const places: Record<string, string> = {
    '<WORK-DASHED>': cwd.replaceAll(/[^A-Za-z0-9]/g, '-'),
    '<WORK>': cwd,
    '<HOME>': homedir(),
    '<NODE>': process.execPath,
    '<MCP>': 'echo-mcp.mjs',
    '<BIN>': dirname(player),
    '<TMP>': tmpdir(),
    '<HOST>': hostname(),
    '<KEY>': 'sk-test-key',
    '<PORT>': '40000',
  };
  let text = JSON.stringify(value);
  for (const [from, to] of Object.entries(places))
    text = text.replaceAll(from, JSON.stringify(to).slice(1, -1));
  return JSON.parse(text) as T;
}
