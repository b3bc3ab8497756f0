import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { withExamples } from '../program.ts';
import type { ConfigureOptions } from '../providers/configure-provider.ts';

interface Options {
  json?: boolean;
}

const answers = ['--json', 'print the answer of the daemon'] as const;
const showing = () => import('../providers/show-providers.ts');

/** `svc providers`. */
export function fillProviders(command: Command, cli: Cli): void {
  withExamples(command, [
    'svc providers ls',
    'svc providers configure openai < key',
    'svc providers default openai',
  ]);
  withExamples(command.command('ls').description('list the providers and how they are'), [
    'svc providers ls',
    'svc providers ls --all',
    'svc providers ls --json',
  ])
    .option('-a, --all', 'also those that are not set up')
    .option(...answers)
    .action(async (options: Options & { all?: boolean }) => (await showing()).listProviders(cli, options));
  withExamples(command.command('models').description('list the models of a provider'), [
    'svc providers models ollama',
    'svc providers models openai --json',
  ])
    .argument('<provider>', 'such as openai')
    .option(...answers)
    .action(async (type: string, options: Options) => (await showing()).listModels(cli, type, options));
  withExamples(command.command('test').description('look now whether a provider answers'), [
    'svc providers test openai',
    'svc providers test ollama --json',
  ])
    .argument('<provider>', 'such as openai')
    .option(...answers)
    .action(async (type: string, options: Options) => (await showing()).testProvider(cli, type, options));
  withExamples(command.command('default').description('choose the provider for requests that name none'), [
    'svc providers default openai',
    'svc providers default ollama --model qwen3',
  ])
    .argument('<provider>', 'such as openai')
    .option('--model <model>', 'the model for requests that name none')
    .option(...answers)
    .action(async (type: string, options: Options & { model?: string }) =>
      (await showing()).setDefault(cli, type, options),
    );
  withExamples(
    command.command('configure').description('set up a provider; its key is typed unseen or piped in'),
    [
      'svc providers configure openai < key',
      'svc providers configure ollama --base-url http://127.0.0.1:11434',
      'svc providers configure anthropic --default-model claude-sonnet-4-5 --no-key',
    ],
  )
    .argument('<provider>', 'such as openai')
    .option('--base-url <url>', 'where it is, when not at its usual address; another origin forgets the key')
    .option('--default-model <model>', 'its model for requests that name none')
    .option('--resource-name <name>', 'azure only')
    .option('--api-version <version>', 'azure only')
    .option('--no-key', 'leave the key as it is')
    .option('--forget-key', 'forget the key')
    .option('--enable', 'use it')
    .option('--disable', 'do not use it')
    .option(...answers)
    .action(async (type: string, options: ConfigureOptions) =>
      (await import('../providers/configure-provider.ts')).configureProvider(cli, type, options),
    );
}
