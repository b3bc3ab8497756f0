import type { RunEventInput } from '../../../contract/run-events.ts';
import type { TurnEnd } from '../../agents/drivers/driver.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import { addRefusal, dropRefusal, type Refusals } from '../../chat/runs/refused-calls.ts';
import { RunFailure } from '../../chat/runs/run-failure.ts';
import type { Config } from '../../config/config.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { ToolGate } from '../../tools/tool-gate.ts';
import { callName } from '../asked-call.ts';
import { AskedCalls } from '../asked-calls.ts';
import type { ConfiguredAgent } from '../configured-agents.ts';
import { JointWait } from '../joint-wait.ts';
import { ProgramBudget } from '../run-budget.ts';
import { secretsIn } from '../../agents/agent-secrets.ts';
import { MaskedEvents } from '../masked-events.ts';
import { RunReporter } from '../run-reporter.ts';
import { toReported } from '../to-reported.ts';
import type { UsageLedger } from '../../usage/usage-ledger.ts';
import type { UsedBy } from '../../usage/usage-record.ts';
import { SilenceTimer } from '../silence-timer.ts';
import type { OpenChat } from './agent-chats.ts';

export interface AgentTurnDeps {
  config: Config;
  gate: ToolGate;
  approvals: ApprovalService;
  usage: Pick<UsageLedger, 'beginRun'>;
  reportBug: (error: unknown) => void;
}

export interface TurnOrder {
  runId: string;
  agent: ConfiguredAgent;
  open: Pick<OpenChat, 'chat' | 'sandbox'>;
  session: () => string;
  content: string;
  model: string | undefined;
  usedBy: UsedBy;
  context: ToolContext;
  refusals: Refusals;
  sink: (event: RunEventInput) => void;
}

/** Lets an agent answer a message: what it does is published, and what it asks passes the gate. Throws why svc ended it. */
export async function agentTurn(
  { config, gate, approvals, usage, reportBug }: AgentTurnDeps,
  {
    runId,
    agent,
    open: { chat, sandbox },
    session,
    content,
    model,
    usedBy,
    context,
    refusals,
    sink: publish,
  }: TurnOrder,
): Promise<TurnEnd> {
  const counted = usage.beginRun(usedBy);
  const stopping = new AbortController();
  const over = new AbortController();
  const masked = new MaskedEvents(secretsIn(agent.env), publish);
  const sink = masked.add.bind(masked);
  const reporter = new RunReporter(sink, () => context.workspace, agent.preset.asksFor);
  const wait = new JointWait((decision) => decision());
  const signal = AbortSignal.any([context.signal, stopping.signal]);
  const asked = new AskedCalls({
    gate,
    approvals,
    agent: agent.type,
    session,
    ...(sandbox && { sandbox }),
    run: {
      id: runId,
      canAsk: true,
      context: { ...context, signal: AbortSignal.any([signal, over.signal]) },
    },
    reporter,
    wait,
    sink,
    onRefused: ({ name, args }, reason) => addRefusal(refusals, { id: '', name, args }, reason),
    onAllowed: ({ name, args }) => dropRefusal(refusals, { id: '', name, args }),
    reportBug,
  });
  const limitMs = config.get('agents.silenceMs');
  const silence = new SilenceTimer({
    limitMs,
    isExcused: () => wait.isOpen || reporter.isCalling,
    onSilence: () => stopping.abort(silent(agent.type, limitMs)),
  });
  const limits = { tokens: agent.maxTokens, costUsd: undefined, steps: undefined };
  const budget = new ProgramBudget(limits, () => undefined);
  const checkBudget = () => {
    const spent = budget.check(reporter.usage, reporter.steps);
    if (spent)
      stopping.abort(new RunFailure('budget', 'MAX_TOKENS', limitReached(agent.type, spent.message)));
  };
  const listener = {
    onLine: () => silence.touch(),
    onText: reporter.addText.bind(reporter),
    onThinking: reporter.addThought.bind(reporter),
    onCall: (call: Parameters<typeof callName>[0]) => reporter.addCall(call, callName(call, agent.type)),
    onPlan: reporter.setPlan.bind(reporter),
    onUsage: (used: RunReporter['usage']) => {
      reporter.setUsage(used);
      counted.report(toReported(reporter.usage, model));
      checkBudget();
    },
    onStep: () => {
      reporter.steps++;
      checkBudget();
    },
    ask: asked.ask.bind(asked),
  };
  try {
    const end = await chat.turn(content, listener, signal);
    context.signal.throwIfAborted();
    stopping.signal.throwIfAborted();
    return { ...end, text: masked.text(end.text) };
  } finally {
    silence.stop();
    reporter.finish();
    masked.flush();
    over.abort();
    await asked.settled();
    await approvals.expireForRun(runId);
  }
}

const silent = (type: string, ms: number) =>
  new RunFailure('timeout', 'TIMEOUT', `${type} gave no sign of life for ${Math.round(ms / 1000)} s`);

const limitReached = (type: string, message: string) =>
  `${message}. Change it: svc config set agents.${type}.maxTokens N`;
