import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import type { RecordOptions } from '../experiences/change-experiences.ts';
import { experienceMeanings, experienceTypes } from '../experiences/experience-types.ts';
import type { ListOptions } from '../experiences/show-experiences.ts';
import { decimal, gather, oneOf, wholeNumber } from '../option-parsers.ts';
import { withExamples } from '../program.ts';

interface Options {
  json?: boolean;
}

const answers = ['--json', 'print the answer of the daemon'] as const;
const idsOnly = ['-q, --quiet', 'print the ids only'] as const;
const idText = 'its id or the beginning of it';

const showing = () => import('../experiences/show-experiences.ts');
const changing = () => import('../experiences/change-experiences.ts');

/** `svc experiences`. */
export function fillExperiences(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc experiences record "deploy the docs" --step "npm run build" --step "npm run push"',
    'svc experiences search "how to deploy"',
    'svc experiences ls --tag deploy',
  ]);
  fillReading(command, cli);
  fillChanging(command, cli);
  fillWeights(command, cli);
}

function fillReading(command: Command, cli: Cli): void {
  withExamples(command.command('ls').description('list experiences, the weightiest first'), [
    'svc experiences ls',
    'svc experiences ls --type error_recovery --tag deploy',
    'svc experiences ls --min-weight 0.5 --json',
  ])
    .option('-t, --type <type>', experienceTypes.join(', '), oneOf(experienceTypes))
    .option('--tag <tag>', 'with this tag')
    .option('--min-weight <weight>', 'that weigh at least so much, such as 0.5', decimal)
    .option('--conversation <id>', 'of this conversation')
    .option('--limit <n>', 'how many, at most 500', wholeNumber)
    .option('--offset <n>', 'how many to leave out', wholeNumber)
    .option(...answers)
    .option(...idsOnly)
    .action(async (options: ListOptions) => (await showing()).listExperiences(cli, options));
  withExamples(command.command('search').description('find experiences that fit a question'), [
    'svc experiences search "how to deploy"',
    'svc experiences search flaky test --limit 3',
  ])
    .argument('<query...>', 'a question or words')
    .option('--limit <n>', 'how many, at most 100; 6 unless set', wholeNumber)
    .option(...answers)
    .option(...idsOnly)
    .action(async (words: string[], options: Options & { quiet?: boolean; limit?: number }) =>
      (await showing()).searchExperiences(cli, words, options),
    );
  withExamples(command.command('show').description('show an experience and where it comes from'), [
    'svc experiences show 0199',
  ])
    .argument('<id>', idText)
    .option(...answers)
    .action(async (id: string, options: Options) => (await showing()).showExperience(cli, id, options));
}

function fillChanging(command: Command, cli: Cli): void {
  withExamples(command.command('record').description('record what led to a goal, to find it again'), [
    'svc experiences record "deploy the docs" --step "npm run build" --step "npm run push"',
    'svc experiences record "the build hangs" --type error_recovery --step "rm -r .cache" --tag build',
    'svc experiences record "set up a machine" --step - < steps.txt',
  ])
    .argument('<intent>', 'what was wanted')
    .option('--step <text>', 'a step that led there; may be repeated; - reads stdin, one a line', gather)
    .option('-t, --type <type>', experienceTypes.join(', '), oneOf(experienceTypes), 'task_solution')
    .option('--success <share>', 'how well it went, 0 to 1; 1 unless set', decimal)
    .option('--tag <tag>', 'a tag; may be repeated', gather)
    .option('--conversation <id>', 'the conversation that it comes from')
    .option(...answers)
    .addHelpText('after', `\nTypes:\n${listed(experienceMeanings)}`)
    .action(async (intent: string, options: RecordOptions) =>
      (await changing()).recordExperience(cli, intent, options),
    );
  withExamples(command.command('use').description('say that one was of use, which makes it weightier'), [
    'svc experiences use 0199',
  ])
    .argument('<id>', idText)
    .option(...answers)
    .action(async (id: string, options: Options) => (await changing()).useExperience(cli, id, options));
  withExamples(command.command('rm').description('forget experiences'), [
    'svc experiences rm 0199',
    'svc experiences ls --tag old -q | xargs svc experiences rm',
  ])
    .argument('<id...>', 'ids or the beginnings of them')
    .option(...answers)
    .action(async (ids: string[], options: Options) =>
      (await changing()).removeExperiences(cli, ids, options),
    );
}

function fillWeights(command: Command, cli: Cli): void {
  withExamples(command.command('decay').description('lower the weights by the time since the last time'), [
    'svc experiences decay',
    'svc experiences decay --half-life 7',
  ])
    .option('--half-life <days>', 'days after which one that nobody used weighs half; 30 unless set', decimal)
    .option(...answers)
    .action(async (options: Options & { halfLife?: number }) =>
      (await changing()).decayExperiences(cli, options),
    );
  withExamples(command.command('prune').description('forget experiences of a low weight'), [
    'svc experiences prune --yes',
    'svc experiences prune --min-weight 0.2',
  ])
    .option('--min-weight <weight>', 'those that weigh less; 0.05 unless set', decimal)
    .option('-y, --yes', 'do not ask')
    .option(...answers)
    .action(async (options: Options & { minWeight?: number; yes?: boolean }) =>
      (await changing()).pruneExperiences(cli, options),
    );
}

const listed = (meanings: Record<string, string>) =>
  Object.entries(meanings)
    .map(([name, meaning]) => `  ${name.padEnd(16)} ${meaning}`)
    .join('\n');
