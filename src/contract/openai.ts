import { z } from 'zod';
import {
  chatCompletionChunkSchema,
  chatCompletionRequestSchema,
  chatCompletionSchema,
} from './openai/chat-completions.ts';
import { embeddingListSchema, embeddingRequestSchema } from './openai/embeddings.ts';
import { openaiModelListSchema, openaiModelSchema } from './openai/models.ts';
import { openaiResponseSchema, responseEventSchema, responseRequestSchema } from './openai/responses.ts';
import { defineRoutes } from './route.ts';

/** Images and files travel in requests. */
const BODY_LIMIT = 16 * 1024 * 1024;
const door = { access: 'session', scopes: ['models:use'] } as const;

/** The API of OpenAI, for programs that speak it. Its errors have the form of OpenAI too, see `error-forms.ts`. */
export const openaiRoutes = defineRoutes({
  listModels: {
    ...door,
    method: 'GET',
    path: '/v1/models',
    summary: 'List the models of all providers, routes and agents',
    errors: [503],
    response: openaiModelListSchema,
  },
  getModel: {
    ...door,
    method: 'GET',
    path: '/v1/models/:id',
    summary: 'Find one model by its name',
    errors: [503],
    params: z.object({ id: z.string().min(1).max(500) }),
    response: openaiModelSchema,
  },
  createChatCompletion: {
    ...door,
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Create a chat completion of a model, a route or an agent',
    errors: [404],
    body: chatCompletionRequestSchema,
    bodyLimit: BODY_LIMIT,
    response: chatCompletionSchema,
    events: chatCompletionChunkSchema,
  },
  createResponse: {
    ...door,
    method: 'POST',
    path: '/v1/responses',
    summary: 'Create a response of a model, a route or an agent',
    errors: [404],
    body: responseRequestSchema,
    bodyLimit: BODY_LIMIT,
    response: openaiResponseSchema,
    events: responseEventSchema,
  },
  createEmbeddings: {
    ...door,
    method: 'POST',
    path: '/v1/embeddings',
    summary: 'Compute the embeddings of texts',
    errors: [404],
    body: embeddingRequestSchema,
    bodyLimit: BODY_LIMIT,
    response: embeddingListSchema,
  },
});
