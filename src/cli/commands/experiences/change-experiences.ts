import type { ExperienceType } from '../../../contract/experiences.ts';
import { confirm } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { readStdin } from '../../input/read-stdin.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import { longCall } from '../../connection/long-call.ts';

interface Format {
  json?: boolean;
}
export interface RecordOptions extends Format {
  type: ExperienceType;
  step?: string[];
  success?: number;
  tag?: string[];
  conversation?: string;
}

/** `svc experiences record INTENT --step …`: the id alone on stdout. */
export async function recordExperience(cli: Cli, intent: string, options: RecordOptions): Promise<void> {
  const { output } = cli;
  const { type, success, tag, conversation } = options;
  const answer = await cli.connect().client.experiences.create({
    body: {
      type,
      intent,
      solution: await stepsOf(options),
      ...(success !== undefined && { successScore: success }),
      ...(tag && { tags: tag }),
      ...(conversation !== undefined && { sourceConversationId: conversation }),
    },
  });
  if (options.json) return output.json(answer);
  output.write(`${answer.experience.id}\n`);
}

async function stepsOf({ step = [] }: RecordOptions): Promise<string[]> {
  if (step.length === 0)
    throw new CliError(exitCodes.usage, 'No steps given.', {
      next: 'Pass --step for each step, or --step - to read them from stdin, one per line.',
    });
  if (!step.includes('-')) return step;
  const lines = (await readStdin()).split('\n').filter((line) => line.trim() !== '');
  return step.flatMap((each) => (each === '-' ? lines : [each]));
}

/** `svc experiences use ID`. */
export async function useExperience(cli: Cli, text: string, { json }: Format): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'experience'), (each) =>
    client.experiences.use({ params: { id: each } }),
  );
  if (json) return output.json(answer);
  const { weight, useCount } = answer.experience;
  output.write(`${id}\n`);
  output.note(
    `Used ${useCount === 1 ? 'once' : `${useCount} times`}; its weight is now ${weight.toFixed(2)}.`,
  );
}

/** `svc experiences rm ID…`. */
export async function removeExperiences(cli: Cli, texts: string[], { json }: Format): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'experience'), (each) =>
      client.experiences.delete({ params: { id: each } }),
    );
    if (json) return output.json(answer);
    output.write(`${id}\n`);
    output.note(`${answer.message}.`);
  });
}

/** `svc experiences decay`. */
export async function decayExperiences(
  cli: Cli,
  { halfLife, json }: Format & { halfLife?: number },
): Promise<void> {
  const { output } = cli;
  const answer = await whileWaiting(output, { isShown: !json, text: 'lowering weights' }, () =>
    cli
      .connect()
      .client.experiences.decay({ body: halfLife === undefined ? {} : { halfLifeDays: halfLife } }, longCall),
  );
  if (json) return output.json(answer);
  output.note(`Lowered the weight of ${formatCount(answer.decayed)}.`);
}

/** `svc experiences prune`. */
export async function pruneExperiences(
  cli: Cli,
  { minWeight, yes, json }: Format & { minWeight?: number; yes?: boolean },
): Promise<void> {
  const { output } = cli;
  if (!yes && !(await confirm(cli, `Remove all experiences with a weight below ${minWeight ?? 0.05}?`)))
    throw new CliError(exitCodes.cancelled, 'Nothing was removed.');
  const answer = await whileWaiting(output, { isShown: !json, text: 'removing experiences' }, () =>
    cli.connect().client.experiences.prune({ body: minWeight === undefined ? {} : { minWeight } }, longCall),
  );
  if (json) return output.json(answer);
  output.note(`Removed ${formatCount(answer.pruned)}.`);
}

const formatCount = (count: number) => `${count} ${count === 1 ? 'experience' : 'experiences'}`;
