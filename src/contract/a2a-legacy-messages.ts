import { z } from 'zod';
import {
  type A2aMessage,
  type A2aParams,
  type A2aPart,
  a2aMessageSchema,
  a2aPartSchema,
  a2aParams,
  a2aPushConfigSchema,
} from './a2a-messages.ts';

/** Parameters in the form of version 0.3 of A2A, each read as those of the method of version 1.0 that it means. */

const { metadata, text, raw, url, filename, mediaType } = a2aPartSchema.shape;
const { messageId, contextId, taskId, extensions, referenceTaskIds } = a2aMessageSchema.shape;
const { id, historyLength } = a2aParams.GetTask.shape;
const file = { name: filename, mimeType: mediaType };

const partSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: text.unwrap(), metadata }),
    z.object({ kind: z.literal('data'), data: z.record(z.string(), z.json()), metadata }),
    z.object({
      kind: z.literal('file'),
      file: z.union([z.object({ ...file, bytes: raw.unwrap() }), z.object({ ...file, uri: url.unwrap() })]),
      metadata,
    }),
  ])
  .transform((part): A2aPart => {
    const more = part.metadata && { metadata: part.metadata };
    if (part.kind === 'text') return { text: part.text, ...more };
    if (part.kind === 'data') return { data: part.data, ...more };
    const { name, mimeType, ...content } = part.file;
    return {
      ...('bytes' in content ? { raw: content.bytes } : { url: content.uri }),
      ...(name !== undefined && { filename: name }),
      ...(mimeType !== undefined && { mediaType: mimeType }),
      ...more,
    };
  });

const messageSchema = z
  .object({
    kind: z.literal('message').optional(),
    messageId,
    contextId,
    taskId,
    role: z
      .enum(['user', 'agent'])
      .transform((role): A2aMessage['role'] => (role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT')),
    parts: z.array(partSchema).min(1).max(100),
    metadata,
    extensions,
    referenceTaskIds,
  })
  .transform((message): A2aMessage => {
    delete message.kind;
    return message;
  });

const { authentication } = a2aPushConfigSchema.shape;
const { scheme, credentials } = authentication.unwrap().shape;

const pushConfigSchema = z
  .object({
    id: a2aPushConfigSchema.shape.id,
    url: a2aPushConfigSchema.shape.url,
    token: a2aPushConfigSchema.shape.token,
    authentication: z.object({ schemes: z.array(scheme).max(10), credentials }).optional(),
  })
  .transform(({ authentication: given, ...config }) => {
    // A request carries one header only: that of the scheme that the receiver names first.
    const [first] = given?.schemes ?? [];
    if (!given || first === undefined) return config;
    return { ...config, authentication: { scheme: first, credentials: given.credentials } };
  });

const sendSchema = z
  .object({
    message: messageSchema,
    configuration: z
      .object({
        acceptedOutputModes: z.array(z.string().max(200)).max(100).optional(),
        blocking: z.boolean().optional(),
        historyLength,
        pushNotificationConfig: pushConfigSchema.optional(),
      })
      .optional(),
    metadata,
  })
  .transform(({ configuration, ...params }): A2aParams['SendMessage'] => {
    if (!configuration) return params;
    const { blocking, pushNotificationConfig, ...rest } = configuration;
    return {
      ...params,
      configuration: {
        ...rest,
        // Servers of 0.3 wait unless they are told not to.
        returnImmediately: blocking === false,
        taskPushNotificationConfig: pushNotificationConfig,
      },
    };
  });

/** The parameters of the methods of version 0.3, by the names of those of version 1.0. */
export const a2aLegacyParams = {
  SendMessage: sendSchema,
  GetTask: z.object({ id, historyLength }),
  CancelTask: z.object({ id, metadata }),
  SubscribeToTask: z.object({ id }),
  CreateTaskPushNotificationConfig: z
    .object({ taskId: id, pushNotificationConfig: pushConfigSchema })
    .transform((params) => ({ ...params.pushNotificationConfig, taskId: params.taskId })),
  GetTaskPushNotificationConfig: z
    .object({ id, pushNotificationConfigId: z.string().max(200).optional() })
    .transform((params) => ({ taskId: params.id, id: params.pushNotificationConfigId ?? '' })),
  ListTaskPushNotificationConfigs: z.object({ id }).transform((params) => ({ taskId: params.id })),
  DeleteTaskPushNotificationConfig: z
    .object({ id, pushNotificationConfigId: id })
    .transform((params) => ({ taskId: params.id, id: params.pushNotificationConfigId })),
  GetExtendedAgentCard: z.object({}),
} satisfies { [Method in keyof A2aParams]?: z.ZodType<A2aParams[Method]> };
