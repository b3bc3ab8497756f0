import { z } from 'zod';

export const a2aStateSchema = z.enum([
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
]);
export type A2aState = z.output<typeof a2aStateSchema>;

const idSchema = z.string().min(1).max(200);
const metadata = z.record(z.string(), z.json()).optional();

export const a2aPartSchema = z
  .object({
    text: z.string().max(200_000).optional(),
    raw: z.string().optional(),
    url: z.string().max(4096).optional(),
    data: z.json().optional(),
    filename: z.string().max(1000).optional(),
    mediaType: z.string().max(200).optional(),
    metadata,
  })
  .refine(
    ({ text, raw, url, data }) => [text, raw, url, data].filter((each) => each !== undefined).length === 1,
    'Expected exactly one of text, raw, url and data',
  );
export type A2aPart = z.output<typeof a2aPartSchema>;

export const a2aMessageSchema = z.object({
  messageId: idSchema,
  contextId: z.string().max(200).optional(),
  taskId: z.string().max(200).optional(),
  role: z.enum(['ROLE_USER', 'ROLE_AGENT']),
  parts: z.array(a2aPartSchema).min(1).max(100),
  metadata,
  extensions: z.array(z.string().max(1000)).max(100).optional(),
  referenceTaskIds: z.array(z.string().max(200)).max(100).optional(),
});
export type A2aMessage = z.output<typeof a2aMessageSchema>;

/** What goes into one header of an HTTP request. */
const headerText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/, 'Expected printable ASCII');

export const a2aPushConfigSchema = z.object({
  id: z.string().max(200).optional(),
  taskId: z.string().max(200).optional(),
  url: z.url({ protocol: /^https?$/ }).max(2000),
  token: headerText(2000).optional(),
  authentication: z
    .object({
      scheme: z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,50}$/, 'Expected a scheme such as Bearer'),
      credentials: headerText(4000).optional(),
    })
    .optional(),
});
export type A2aPushConfig = z.output<typeof a2aPushConfigSchema>;

const historyLength = z.int().min(0).max(1000).optional();

/** The parameters of the methods. */
export const a2aParams = {
  SendMessage: z.object({
    message: a2aMessageSchema,
    configuration: z
      .object({
        acceptedOutputModes: z.array(z.string().max(200)).max(100).optional(),
        taskPushNotificationConfig: a2aPushConfigSchema.optional(),
        historyLength,
        returnImmediately: z.boolean().optional(),
      })
      .optional(),
    metadata,
  }),
  GetTask: z.object({ id: idSchema, historyLength }),
  ListTasks: z.object({
    contextId: z.string().max(200).optional(),
    status: a2aStateSchema.or(z.literal('TASK_STATE_UNSPECIFIED')).optional(),
    pageSize: z.int().min(1).max(100).optional(),
    pageToken: z.string().max(1000).optional(),
    historyLength,
    statusTimestampAfter: z.iso.datetime({ offset: true }).or(z.literal('')).optional(),
    includeArtifacts: z.boolean().optional(),
  }),
  CancelTask: z.object({ id: idSchema, metadata }),
  SubscribeToTask: z.object({ id: idSchema }),
  CreateTaskPushNotificationConfig: a2aPushConfigSchema.extend({ taskId: idSchema }),
  GetTaskPushNotificationConfig: z.object({ taskId: idSchema, id: idSchema }),
  ListTaskPushNotificationConfigs: z.object({
    taskId: idSchema,
    pageSize: z.int().min(0).max(100).optional(),
    pageToken: z.string().max(1000).optional(),
  }),
  DeleteTaskPushNotificationConfig: z.object({ taskId: idSchema, id: idSchema }),
  GetExtendedAgentCard: z.object({}),
};
export type A2aParams = { [Method in keyof typeof a2aParams]: z.output<(typeof a2aParams)[Method]> };

export interface A2aStatus {
  state: A2aState;
  timestamp: string;
  message?: A2aMessage;
}
export interface A2aArtifact {
  artifactId: string;
  name: string;
  parts: A2aPart[];
}
/** A task in the form of the protocol. */
export interface A2aTask {
  id: string;
  contextId: string;
  status: A2aStatus;
  artifacts?: A2aArtifact[];
  history?: A2aMessage[];
  /** `continues`: the task whose session it continues. */
  metadata?: { continues: string };
}
/** One event of a stream. */
export type A2aUpdate =
  | { task: A2aTask }
  | { statusUpdate: { taskId: string; contextId: string; status: A2aStatus } }
  | {
      artifactUpdate: {
        taskId: string;
        contextId: string;
        artifact: A2aArtifact;
        append: boolean;
        lastChunk: boolean;
      };
    };
