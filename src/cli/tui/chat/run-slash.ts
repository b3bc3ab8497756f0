import { AGENTIC_MS, type Effort } from '../../../contract/run-events.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { formatAge } from '../../output/duration.ts';
import { copyAnswer, exportConversation, showCost } from './conversation-commands.ts';
import { helpText } from './help-text.ts';
import { initPrompt } from './init-prompt.ts';
import { showChanges, undoTurn } from './review-changes.ts';
import type { SlashParts } from './slash-parts.ts';
import { modeMeanings } from '../../../contract/mode-meanings.ts';
import { effortMeanings, type SlashName } from './slash-commands.ts';

const CONVERSATIONS = 100;

/** Does what a command says. */
export async function runSlash(name: SlashName, argument: string, parts: SlashParts): Promise<void> {
  const { session, apply, leave } = parts;
  const note = (text: string) => apply({ kind: 'note', text });
  if (name === 'undo' && session.isBusy)
    return note('Still responding. Press Esc to interrupt it, then undo what it changed.');
  if ((name === 'new' || name === 'resume') && session.isBusy)
    return note('Still responding. Press Esc to interrupt it, then choose another conversation.');
  const { agent } = parts.state.settings;
  const refusal = agent === undefined ? undefined : withAgent(agent)[name];
  if (refusal !== undefined && (name !== 'model' || argument === '')) return note(refusal);
  switch (name) {
    case 'help':
      return note(helpText);
    case 'new':
      return session.startNew();
    case 'resume':
      return chooseConversation(parts);
    case 'model':
      return chooseModel(argument, parts);
    case 'provider':
      return chooseProvider(argument, parts);
    case 'mode':
      return chooseMode(argument, parts);
    case 'effort':
      return chooseEffort(argument, parts);
    case 'budget':
      return setBudget(argument, parts);
    case 'agentic': {
      const isAgentic = !parts.state.settings.isAgentic;
      apply({ kind: 'set', settings: { isAgentic } });
      return note(
        isAgentic
          ? `Agentic mode is on: it works autonomously, for up to ${AGENTIC_MS / 60_000} minutes per message. Limits: /effort, /budget. Longer work is a task: svc run`
          : 'Agentic mode is off: it answers message by message.',
      );
    }
    case 'approvals':
      return session.showApprovals();
    case 'compact':
      return session.compact(argument);
    case 'diff':
      return showChanges(argument, parts);
    case 'undo':
      return undoTurn(parts);
    case 'cost':
      return showCost(parts);
    case 'copy':
      return copyAnswer(parts);
    case 'export':
      return exportConversation(argument, parts);
    case 'init':
      return session.submit({ text: '/init', content: initPrompt });
    case 'clear':
      return apply({ kind: 'cleared' });
    case 'quit':
      return leave();
  }
}

/** What svc leaves to an agent that answers. */
const withAgent = (agent: string): Partial<Record<SlashName, string>> => ({
  model: `${agent} chooses its model. Name one for its next answers: /model NAME`,
  provider: `${agent} has its own provider.`,
  agentic: `${agent} works autonomously already, for as long as it takes.`,
  effort: `${agent} decides on its effort.`,
  budget: `The limit of ${agent} is a setting: svc config set agents.${agent}.maxTokens N`,
  compact: `${agent} sums up its own session when it has to.`,
  undo: `${agent} changes files itself, so svc cannot restore them. Use Git, such as: !git restore FILE`,
  diff: `${agent} changes files itself, so svc does not know what was there before. Use Git: !git diff`,
});

async function chooseConversation({ session, choose, now }: SlashParts): Promise<void> {
  const page = await session.fetch((client) =>
    client.conversations.list({ query: { limit: CONVERSATIONS } }),
  );
  if (!page) return;
  choose({
    title: 'Continue a conversation',
    choices: page.conversations.map(({ id, title, messageCount, updatedAt, cwd, agent }) => ({
      value: id,
      label: title,
      text: [
        `${messageCount} messages`,
        formatAge(updatedAt, now()),
        ...(agent === undefined ? [] : [agent]),
        ...(cwd === undefined ? [] : [cwd]),
      ].join(' · '),
    })),
    onPick: (id) => void session.open(id),
  });
}

async function chooseModel(argument: string, { state, session, apply, choose }: SlashParts): Promise<void> {
  if (argument !== '') return apply({ kind: 'set', settings: { model: argument } });
  const { provider } = state.settings;
  const answer = await session.fetch((client) =>
    client.chat.listModels({ query: provider ? { provider } : {} }),
  );
  if (!answer) return;
  choose({
    title: 'Choose a model',
    choices: answer.models.map((model) => ({
      value: `${model.provider}/${model.id}`,
      label: model.id,
      text: [model.provider, model.supportsTools === false ? 'no tools' : ''].filter(Boolean).join(' · '),
    })),
    onPick: (value) => {
      const model = answer.models.find((each) => `${each.provider}/${each.id}` === value);
      if (model) apply({ kind: 'set', settings: { model: model.id, provider: model.provider } });
    },
  });
}

async function chooseProvider(argument: string, { session, apply, choose }: SlashParts): Promise<void> {
  const answer = await session.fetch((client) => client.providers.list());
  if (!answer) return;
  const usable = answer.providers.filter(({ configured, enabled }) => configured && enabled);
  const pick = (value: string) => {
    const provider = usable.find(({ type }) => type === value)?.type;
    if (provider) apply({ kind: 'set', settings: { provider, model: undefined } });
    else
      apply({
        kind: 'note',
        tone: 'warning',
        text: `"${value}" is not configured. Configure it: svc providers configure ${value}`,
      });
  };
  if (argument !== '') return pick(argument);
  const choices = usable.map(({ type, defaultModel = '' }) => ({ value: type, text: defaultModel }));
  choose({ title: 'Choose a provider', choices, onPick: pick });
}

function chooseMode(argument: string, { state, apply, choose }: SlashParts): void {
  if (state.settings.isAgentic)
    return apply({
      kind: 'note',
      text: 'Agentic mode always uses mode full: it never prompts; blocked tools and guards still apply',
    });
  chooseWord(argument, modeMeanings, {
    title: 'Choose a security mode',
    pick: (mode: SecurityMode) => apply({ kind: 'set', settings: { mode } }),
    refuse: (text) => apply({ kind: 'note', tone: 'warning', text }),
    choose,
  });
}

function chooseEffort(argument: string, { apply, choose }: SlashParts): void {
  chooseWord(argument, effortMeanings, {
    title: 'Choose the effort of agentic mode',
    pick: (effort: Effort) => apply({ kind: 'set', settings: { effort, isAgentic: true } }),
    refuse: (text) => apply({ kind: 'note', tone: 'warning', text }),
    choose,
  });
}

function setBudget(argument: string, { apply }: SlashParts): void {
  if (argument === 'off') return apply({ kind: 'set', settings: { maxBudget: undefined } });
  const [, digits, unit = ''] = /^(\d{1,9})([kM]?)$/.exec(argument) ?? [];
  const maxBudget = Number(digits) * (unit === 'k' ? 1000 : unit === 'M' ? 1_000_000 : 1);
  if (maxBudget >= 1000) return apply({ kind: 'set', settings: { maxBudget, isAgentic: true } });
  apply({
    kind: 'note',
    tone: 'warning',
    text: 'Set a number of tokens, at least 1000: /budget 100k. No limit: /budget off',
  });
}

/** Takes a word of a few that there are, or asks which. */
function chooseWord<Word extends string>(
  argument: string,
  meanings: Record<Word, string>,
  parts: {
    title: string;
    pick: (word: Word) => void;
    refuse: (text: string) => void;
    choose: SlashParts['choose'];
  },
): void {
  const words = Object.keys(meanings) as Word[];
  const take = (text: string) => {
    const word = words.find((each) => each === text);
    if (word) parts.pick(word);
    else parts.refuse(`There is no "${text}". Available: ${words.join(', ')}.`);
  };
  if (argument !== '') return take(argument);
  const choices = words.map((word) => ({ value: word, text: meanings[word] }));
  parts.choose({ title: parts.title, choices, onPick: take });
}
