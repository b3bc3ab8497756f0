import { a2aLegacyParams } from '../../contract/a2a-legacy-messages.ts';
import type { A2aUpdate } from '../../contract/a2a-messages.ts';
import { A2A_LEGACY_VERSION } from '../../contract/a2a-path.ts';
import { A2aError } from '../../core/a2a/a2a-error.ts';
import { legacyTask, legacyUpdate } from '../../core/a2a/legacy-form.ts';
import type { ShownPushConfig } from '../../core/a2a/push-configs.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { type A2aResults, type AllowedCall, findMethod, isUpdates } from './a2a-methods.ts';

type LegacyName = keyof typeof a2aLegacyParams;

/** The methods of version 0.3 and those of version 1.0 that they mean. */
const methods: Readonly<Record<string, LegacyName | 'SendStreamingMessage'>> = {
  'message/send': 'SendMessage',
  'message/stream': 'SendStreamingMessage',
  'tasks/get': 'GetTask',
  'tasks/cancel': 'CancelTask',
  'tasks/resubscribe': 'SubscribeToTask',
  'tasks/pushNotificationConfig/set': 'CreateTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/get': 'GetTaskPushNotificationConfig',
  'tasks/pushNotificationConfig/list': 'ListTaskPushNotificationConfigs',
  'tasks/pushNotificationConfig/delete': 'DeleteTaskPushNotificationConfig',
  'agent/getAuthenticatedExtendedCard': 'GetExtendedAgentCard',
};

const pushConfig = ({ taskId, ...config }: ShownPushConfig) => ({ taskId, pushNotificationConfig: config });

const results: { [Name in Exclude<LegacyName, 'SubscribeToTask'>]: (result: A2aResults[Name]) => unknown } = {
  SendMessage: ({ task }) => legacyTask(task),
  GetTask: legacyTask,
  CancelTask: legacyTask,
  CreateTaskPushNotificationConfig: pushConfig,
  GetTaskPushNotificationConfig: pushConfig,
  ListTaskPushNotificationConfigs: ({ configs }) => configs.map(pushConfig),
  DeleteTaskPushNotificationConfig: () => null,
  GetExtendedAgentCard: (card) => card,
};

/** Looks a call of version 0.3 up; it throws what `findCall` throws. */
export function findLegacyCall(caller: Caller, method: string, params: unknown): AllowedCall {
  const name = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (name === undefined)
    throw new A2aError(
      'methodNotFound',
      'Version 0.3 has no such method. For version 1.0, send the header A2A-Version: 1.0',
    );
  const found = findMethod(caller, name, params, { schemas: a2aLegacyParams, speaks: A2A_LEGACY_VERSION });
  return {
    ...found,
    run: async (context) => {
      const result = await found.run(context);
      if (isUpdates(result)) return legacyUpdates(result);
      return results[name as keyof typeof results](result as never);
    },
  };
}

async function* legacyUpdates(updates: AsyncIterable<A2aUpdate>): AsyncGenerator<object> {
  for await (const update of updates) yield legacyUpdate(update);
}
