import { modelName } from '../completion/suggestions.ts';
import { required } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { flag, option } from '../program/options.ts';
import { json } from '../program/shared-options.ts';
import { text } from '../program/value-type.ts';
import { providerName } from './providers/provider-name.ts';

const ls = defineCommand({
  name: 'ls',
  summary: 'List model providers and their health',
  examples: ['svc providers ls', 'svc providers ls --all', 'svc providers ls --json'],
  options: [flag('-a, --all', 'Include providers that are not configured'), json],
  run: async ({ cli, options }) =>
    (await import('./providers/show-providers.ts')).listProviders(cli, options),
});

const show = defineCommand({
  name: 'show',
  summary: 'Show a provider',
  examples: ['svc providers show openai', 'svc providers show my-llm --json'],
  args: { provider: required(providerName) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./providers/show-providers.ts')).showProvider(cli, args.provider, options),
});

const models = defineCommand({
  name: 'models',
  summary: 'List the models of a provider',
  examples: ['svc providers models ollama', 'svc providers models openai --json'],
  args: { provider: required(providerName) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./providers/show-providers.ts')).listModels(cli, args.provider, options),
});

const test = defineCommand({
  name: 'test',
  summary: 'Test the connection to a provider',
  examples: ['svc providers test openai', 'svc providers test ollama --json'],
  args: { provider: required(providerName) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./providers/show-providers.ts')).testProvider(cli, args.provider, options),
});

const setDefault = defineCommand({
  name: 'default',
  summary: 'Set the default provider',
  examples: ['svc providers default openai', 'svc providers default ollama --model qwen3'],
  args: { provider: required(providerName) },
  options: [option('--model <model>', 'Default model', modelName), json],
  run: async ({ cli, args, options }) =>
    (await import('./providers/show-providers.ts')).setDefault(cli, args.provider, options),
});

const configure = defineCommand({
  name: 'configure',
  summary: 'Configure a provider; prompts for the key without echo',
  examples: [
    'svc providers configure openai < key',
    'svc providers configure ollama --base-url http://127.0.0.1:11434',
    'svc providers configure anthropic --default-model claude-sonnet-4-5 --no-key',
  ],
  args: { provider: required(providerName) },
  options: [
    option('--base-url <url>', 'Base URL; another origin removes the stored key', text),
    option('--default-model <model>', 'Default model of the provider', modelName),
    option('--resource-name <name>', 'Azure resource name', text),
    option('--api-version <version>', 'Azure API version', text),
    flag('--api-key-stdin', 'Read the key from stdin, also for a server that needs none'),
    flag('--no-key', 'Keep the stored key'),
    flag('--forget-key', 'Remove the stored key'),
    flag('--enable', 'Enable the provider'),
    flag('--disable', 'Disable the provider'),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./providers/configure-provider.ts')).configureProvider(cli, args.provider, options),
});

const add = defineCommand({
  name: 'add',
  summary: 'Add an OpenAI-compatible server under a name of its own',
  examples: [
    'svc providers add my-llm --base-url http://127.0.0.1:8080/v1 --default',
    'svc providers add gateway --base-url https://llm.example.com/v1 --api-key-stdin < key',
    'svc providers add vllm --base-url http://127.0.0.1:8000/v1 --default-model qwen3-coder --no-key',
  ],
  args: { name: required(text, 'Name: lower-case letters, digits and hyphens') },
  options: [
    option('--base-url <url>', 'Address of its API; without a path, /v1 is added', text),
    flag('--api-key-stdin', 'Read the key from stdin'),
    flag('--no-key', 'Do not prompt for a key'),
    option('--default-model <model>', 'Default model (default: the first one that it lists)', text),
    flag('--default', 'Make it the default provider'),
    json,
  ],
  run: async ({ cli, args, options }) =>
    (await import('./providers/add-provider.ts')).addProvider(cli, args.name, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove an OpenAI-compatible server and its key',
  examples: ['svc providers rm my-llm', 'svc providers rm my-llm --force'],
  args: { provider: required(providerName) },
  options: [flag('--force', 'Also if it is the default or a schedule uses it'), json],
  run: async ({ cli, args, options }) =>
    (await import('./providers/remove-provider.ts')).removeProvider(cli, args.provider, options),
});

export const providers = defineNoun({
  name: 'providers',
  summary: 'List, configure and test model providers',
  examples: [
    'svc providers ls',
    'svc providers configure openai < key',
    'svc providers add my-llm --base-url http://127.0.0.1:8080/v1',
  ],
  commands: [ls, show, models, test, setDefault, configure, add, rm],
});
