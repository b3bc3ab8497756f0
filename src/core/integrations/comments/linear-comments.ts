import { createHash } from 'node:crypto';
import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import type { VendorAnswer } from '../../outbound/vendor-requests.ts';
import type { CommentTarget } from '../inbound/source-work.ts';
import { CommentFailure, type CommentFault } from './comment-failure.ts';
import type { CommentThread, ThreadOptions } from './comment-thread.ts';
import { exchange, limited, unreadableAnswer, waitOf } from './comment-request.ts';
import { linearMarkdown } from './markdown-comment.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: z.object({ type: z.string().nullish(), code: z.string().nullish() }).nullish(),
      }),
    )
    .optional(),
});
type GraphqlError = NonNullable<z.output<typeof answerSchema>['errors']>[number];

const createMutation =
  'mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }';
const updateMutation =
  'mutation ($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success } }';
const findQuery = 'query ($id: String!) { comment(id: $id) { id } }';

/** Comments of an issue. We choose the comment id, so a task cannot get a second comment. */
export function linearComments(
  { issueId }: Extract<CommentTarget, { provider: 'linear' }>,
  { api, taskId }: ThreadOptions,
): CommentThread {
  const id = commentIdOf(taskId);
  const send = async (query: string, variables: object): Promise<Record<string, unknown>> => {
    const answer = await exchange(api, `${api.baseUrl}/graphql`, {
      method: 'POST',
      body: { query, variables },
    });
    const { data } = safeParse(answerSchema, answer.body);
    const [error] = data?.errors ?? [];
    if (error || answer.status < 200 || answer.status > 299) throw failureOf(answer, error);
    if (!data?.data) throw unreadableAnswer(api.vendor);
    return data.data;
  };
  const failureOf = ({ status, headers }: VendorAnswer, error: GraphqlError | undefined): CommentFailure => {
    const fault = faultOf(status, error);
    if (fault === 'limited') return limited(api, headers);
    const waitMs = fault === 'transient' ? waitOf(headers, api.now().getTime()) : undefined;
    return new CommentFailure(fault, `${api.vendor} answered ${codeOf(error) ?? status}`, { waitMs });
  };
  const thread: CommentThread = {
    async create(text) {
      const body = await linearMarkdown(text);
      const input = { id, issueId, body, doNotSubscribeToIssue: true };
      const failure = await send(createMutation, { input }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return id;
      // Linear reports an existing id like any other invalid input.
      const isTaken =
        failure instanceof CommentFailure && failure.fault === 'refused' && (await thread.find());
      if (!isTaken) throw failure;
      await thread.update(id, text);
      return id;
    },
    async update(known, text) {
      await send(updateMutation, { id: known, input: { body: await linearMarkdown(text) } });
    },
    async find() {
      try {
        await send(findQuery, { id });
        return id;
      } catch (error) {
        if (error instanceof CommentFailure && error.fault === 'missing') return undefined;
        throw error;
      }
    },
  };
  return thread;
}

/** A stable id per task in the form of a UUID v4, the only form that Linear accepts. */
export function commentIdOf(taskId: string): string {
  const bytes = createHash('sha256').update(`svc comment ${taskId}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Linear reports errors in the body, with status 200 as well as 400. */
function faultOf(status: number, error: GraphqlError | undefined): CommentFault {
  const { type, code } = error?.extensions ?? {};
  if (status === 429 || code === 'RATELIMITED' || type === 'ratelimited') return 'limited';
  if (status === 401 || code === 'AUTHENTICATION_ERROR' || type === 'authentication error')
    return 'unauthorized';
  if (error?.message.startsWith('Entity not found')) return 'missing';
  if (status === 403 || code === 'FORBIDDEN' || type === 'forbidden') return 'refused';
  const isInput =
    code === 'INPUT_ERROR' ||
    ['invalid input', 'user error', 'graphql error', 'feature not accessible'].includes(type ?? '');
  if (isInput) return 'refused';
  return !error && status >= 400 && status < 500 ? 'refused' : 'transient';
}

const codeOf = (error: GraphqlError | undefined): string | undefined => {
  const code = error?.extensions?.code ?? error?.extensions?.type;
  return code && /^[\w ]{1,60}$/.test(code) ? code : undefined;
};
