import type { Person } from '../../walkthroughs/person.ts';
import { callsTools } from '../../helpers/model-server.ts';
import type { Size } from '../../cli/tui/terminal.ts';

interface Scene {
  /** The file in `docs/images`, without its extension. */
  name: string;
  /** What is to be seen, in words. */
  label: string;
  size: Size;
  /** Brings the terminal to what is drawn. */
  play: (person: Person) => Promise<void>;
}

const failingTest =
  "import { total } from './sum.js';\nif (total([2, 3]) !== 5) throw new Error('total([2, 3]) is not 5');\n";
const brokenSum =
  'export const total = (prices) => {\n  let sum = 0;\n  for (const price of prices) {\n    sum -= price;\n  }\n  return sum;\n};\n';
const read = (path: string) => ({ name: 'read_file', args: { path } });
const fix = {
  name: 'edit_file',
  args: { path: 'sum.js', oldText: '    sum -= price;', newText: '    sum += price;' },
};

/** A small project with a test that fails, and a model that fixes it. */
async function prepare(person: Person): Promise<void> {
  person.writesFile('package.json', '{ "type": "module" }\n');
  person.writesFile('sum.js', brokenSum);
  person.writesFile('sum.test.js', failingTest);
  await person.connectsModel();
  person.model.script = callsTools(
    [[read('sum.test.js'), read('sum.js')], [fix]],
    '`total` subtracted each price. It adds them now, and the test passes.',
  );
  person.clears();
}

/** The id of the last task on the screen. */
const lastTask = ({ terminal }: Person) => [...terminal.history.matchAll(/task (\w{8})/g)].at(-1)?.[1] ?? '';

/** The pictures of the documentation. */
export const scenes: readonly Scene[] = [
  {
    name: 'run',
    label:
      'svc run works on a failing test, shows each tool call, checks the result and prints the answer; svc tasks ls lists the task',
    size: { columns: 98, rows: 38 },
    play: async (person) => {
      await prepare(person);
      person.types("svc run --verify 'node sum.test.js' 'fix the failing test'");
      await person.terminal.until(/Allow edit_file\?/);
      person.types('y');
      await person.getsPromptBack();
      await person.runs('svc tasks ls');
    },
  },
  {
    name: 'chat',
    label:
      'svc chat: the model has read two files and asks whether it may edit one of them; the bar shows the change as a diff',
    size: { columns: 92, rows: 30 },
    play: async (person) => {
      await prepare(person);
      person.types('svc chat');
      await person.terminal.until(/Write a message/);
      person.types('Why does the test fail? Fix it.');
      await person.terminal.until(/Allow edit_file\?/);
    },
  },
  {
    name: 'review',
    label: 'svc tasks diff shows what a task changed, svc tasks undo restores the files',
    size: { columns: 92, rows: 24 },
    play: async (person) => {
      await prepare(person);
      await person.runs("svc run --mode full 'fix the failing test'");
      const id = lastTask(person);
      await person.runs(`svc tasks diff ${id}`);
      await person.runs(`svc tasks undo ${id}`);
    },
  },
  {
    name: 'outage',
    label: 'svc run waits while the model provider is overloaded, and counts down to the next try',
    size: { columns: 104, rows: 8 },
    play: async (person) => {
      await prepare(person);
      person.model.script = (reply) =>
        reply.json(503, { error: { message: 'overloaded' } }, { 'retry-after': '90' });
      person.types("svc run 'summarize the notes of this week'");
      await person.terminal.until(/next try at[^]*waiting for the provider: next try at/);
    },
  },
  {
    name: 'refused',
    label: 'svc run reports a refused call and ends with exit code 9',
    size: { columns: 104, rows: 12 },
    play: async (person) => {
      await prepare(person);
      person.model.script = callsTools(
        [[{ name: 'write_file', args: { path: '../notes.txt', content: 'x' } }]],
        'I wrote the notes.',
      );
      await person.runs("svc run 'write the notes'; echo $?");
    },
  },
];
