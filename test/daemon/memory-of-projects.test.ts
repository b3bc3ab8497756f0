import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { MemoryScopeName } from '../../src/contract/memory.ts';
import { temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says } from '../helpers/model-server.ts';
import { follow, until } from '../helpers/tasks.ts';

const answer = 'The lantern was painted red with three coats of weatherproof paint, and dried in the shed.';
let daemon: TestDaemon;
let model: ModelServer;
let ships: string;
let houses: string;

function plantRepository(text: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.git'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'lantern.md'), `# Lantern\n\n${text}\n`);
  return folder;
}

beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
  ships = plantRepository('The lantern of the ship hangs at the mast.');
  houses = plantRepository('The lantern of the house hangs at the door.');
  for (const basePath of [ships, houses]) await daemon.client.memory.sync({ body: { basePath } });
  writeFileSync(join(ships, 'src/paint.txt'), 'red\n');
  model.script = callsTools([[{ name: 'read_file', args: { path: 'paint.txt' } }]], answer);
  await run(join(ships, 'src'), 'Paint the lantern red');
  await until(async () => {
    const { total } = await daemon.client.experiences.list();
    if (total === 0) throw new Error('Nothing is learned yet');
  });
});
beforeEach(() => {
  model.script = says(answer);
  model.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function run(cwd: string | undefined, title: string, memoryScope?: MemoryScopeName): Promise<string> {
  const { task } = await daemon.client.tasks.create({
    body: {
      title,
      prompt: title,
      assignedAgent: 'builtin',
      ...(cwd !== undefined && { cwd }),
      ...(memoryScope && { memoryScope }),
    },
  });
  await follow(daemon.client, task.id);
  return JSON.stringify(model.asked[0]?.body.messages);
}

const ofShips = 'lantern of the ship';
const ofHouses = 'lantern of the house';
const learned = 'three coats';
const found = (told: string) => [ofShips, ofHouses, learned].filter((text) => told.includes(text));

it('a lesson belongs to the repository in which it was learned', async () => {
  const { experiences } = await daemon.client.experiences.list();
  expect(experiences.map(({ project }) => project)).toEqual([ships]);
});

it('a task in a project gets its files and its lessons, and those of no other', async () => {
  const question = 'Where does the lantern hang, and how was the lantern painted red?';
  expect(found(await run(ships, question))).toEqual([ofShips, learned]);
  model.asked.length = 0;
  expect(found(await run(houses, question))).toEqual([ofHouses]);
});

it('a task gets all of the memory where it asks for it, or where the setting says so', async () => {
  const question = 'Where does every lantern hang, and how was the lantern painted red?';
  expect(found(await run(houses, question, 'all'))).toEqual([ofShips, ofHouses, learned]);
  model.asked.length = 0;
  const setting = { params: { key: 'memory.scope' } };
  await daemon.client.config.update({ ...setting, body: { value: 'all' } });
  expect(found(await run(houses, question))).toEqual([ofShips, ofHouses, learned]);
  await daemon.client.config.update({ ...setting, body: { value: null } });
});

it('a task in no project gets no lesson of one', async () => {
  expect(found(await run(undefined, 'How was the lantern painted red with coats of paint?'))).not.toContain(
    learned,
  );
});
