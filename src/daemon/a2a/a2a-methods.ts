import type { z } from 'zod';
import { type A2aParams, type A2aTask, type A2aUpdate, a2aParams } from '../../contract/a2a-messages.ts';
import { A2A_VERSION, type A2aVersion } from '../../contract/a2a-path.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { Scope } from '../../contract/scopes.ts';
import { A2aError } from '../../core/a2a/a2a-error.ts';
import type { A2aService } from '../../core/a2a/a2a-service.ts';
import type { ShownPushConfig } from '../../core/a2a/push-configs.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { AppError } from '../../core/errors.ts';

interface Call<Method extends keyof A2aParams> {
  service: A2aService;
  caller: Caller;
  params: A2aParams[Method];
  /** Aborts when the client disconnects, loses access, or the daemon stops. */
  signal: AbortSignal;
  /** Without a trailing slash. */
  baseUrl: string;
  /** The version of the protocol in which it is called. */
  speaks: A2aVersion;
}
/** What the methods answer, in the form of version 1.0. */
export interface A2aResults extends Record<keyof A2aParams, object> {
  SendMessage: { task: A2aTask };
  GetTask: A2aTask;
  CancelTask: A2aTask;
  SubscribeToTask: AsyncIterable<A2aUpdate>;
  CreateTaskPushNotificationConfig: ShownPushConfig;
  GetTaskPushNotificationConfig: ShownPushConfig;
  ListTaskPushNotificationConfigs: { configs: ShownPushConfig[]; nextPageToken: string };
}
interface Method<Name extends keyof A2aParams> {
  /** The token needs one of them. */
  scopes: readonly Scope[];
  /** `submit` creates a task, `wait` may keep the connection open. */
  traits?: readonly ('submit' | 'wait')[];
  run: (call: Call<Name>) => Promise<A2aResults[Name]>;
}
type Methods = { [Name in keyof A2aParams]: Method<Name> };

const reading: readonly Scope[] = ['tasks:read', 'tasks:write', 'gateway:write'];
const sending: readonly Scope[] = ['tasks:write', 'gateway:write'];
/** Only these tokens have a secret by which a receiver verifies the signature. */
const notifying: readonly Scope[] = ['gateway:write'];

const methods: Methods = {
  SendMessage: {
    scopes: sending,
    traits: ['submit', 'wait'],
    run: async ({ service, caller, params, signal, speaks }) => ({
      task: await service.send(caller, params, { signal, speaks }),
    }),
  },
  GetTask: { scopes: reading, run: ({ service, caller, params }) => service.get(caller, params) },
  ListTasks: { scopes: reading, run: ({ service, caller, params }) => service.list(caller, params) },
  CancelTask: {
    scopes: ['tasks:write'],
    run: ({ service, caller, params }) => service.cancel(caller, params.id),
  },
  SubscribeToTask: {
    scopes: reading,
    traits: ['wait'],
    run: ({ service, caller, params, signal }) => service.subscribe(caller, params.id, signal),
  },
  CreateTaskPushNotificationConfig: {
    scopes: notifying,
    run: ({ service, caller, params, speaks }) => service.createPushConfig(caller, params, speaks),
  },
  GetTaskPushNotificationConfig: {
    scopes: notifying,
    run: ({ service, caller, params }) => service.getPushConfig(caller, params),
  },
  ListTaskPushNotificationConfigs: {
    scopes: notifying,
    run: async ({ service, caller, params }) => ({
      configs: await service.listPushConfigs(caller, params.taskId),
      nextPageToken: '',
    }),
  },
  DeleteTaskPushNotificationConfig: {
    scopes: notifying,
    run: async ({ service, caller, params }) => {
      await service.deletePushConfig(caller, params);
      return {};
    },
  },
  GetExtendedAgentCard: {
    scopes: reading,
    run: ({ service, caller, baseUrl, speaks }) => service.extendedCard(caller, baseUrl, speaks),
  },
};

/** A call whose method and parameters are valid and allowed. */
export interface AllowedCall {
  isSubmission: boolean;
  mayWait: boolean;
  run(context: Pick<Call<keyof A2aParams>, 'service' | 'signal' | 'baseUrl'>): Promise<unknown>;
}

/** Looks a call up; throws an error of the protocol, or `forbidden` where the token lacks the scope. */
export const findCall = (caller: Caller, name: string, params: unknown): AllowedCall =>
  findMethod(caller, name, params, { schemas: a2aParams, speaks: A2A_VERSION });

/** The forms of the parameters in a version of the protocol, by the names of the methods in version 1.0. */
interface Version {
  schemas: { [Name in keyof A2aParams]?: z.ZodType<A2aParams[Name]> };
  speaks: A2aVersion;
}

/** The same for a version of the protocol; the call answers in the form of version 1.0. */
export function findMethod(
  caller: Caller,
  name: string,
  params: unknown,
  { schemas, speaks }: Version,
): AllowedCall {
  const isStreamed = name === 'SendStreamingMessage';
  const known = isStreamed ? 'SendMessage' : name;
  if (!isMethod(known)) throw new A2aError('methodNotFound');
  const schema: z.ZodType | undefined = schemas[known];
  if (!schema) throw new A2aError('methodNotFound');
  const { scopes, traits = [] } = methods[known];
  requireScope(caller, scopes);
  const parsed = safeParse(schema, params ?? {});
  if (!parsed.success)
    throw new A2aError(
      'invalidParams',
      undefined,
      parsed.error.issues
        .slice(0, 50)
        .map(({ path, message }) => ({ path: path.map(String).join('.'), message })),
    );
  if (known === 'SendMessage') {
    const { configuration } = parsed.data as A2aParams['SendMessage'];
    if (configuration?.taskPushNotificationConfig) requireScope(caller, notifying);
  }
  const valid = parsed.data as never;
  return {
    isSubmission: traits.includes('submit'),
    mayWait: traits.includes('wait'),
    run: async (context) =>
      isStreamed
        ? context.service.sendStreaming(caller, valid, { signal: context.signal, speaks })
        : methods[known].run({ ...context, caller, params: valid, speaks }),
  };
}

/** Whether a method answers a stream. */
export const isUpdates = (result: unknown): result is AsyncIterable<A2aUpdate> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

function requireScope(caller: Caller, scopes: readonly Scope[]): void {
  if (scopes.some((scope) => caller.token?.scopes.includes(scope))) return;
  throw new AppError('forbidden', `The API token needs the scope ${scopes.join(' or ')}`);
}

const isMethod = (name: string): name is keyof A2aParams => Object.hasOwn(methods, name);
