import type { FastifyInstance } from 'fastify';
import type { App } from '../../core/app.ts';
import type { ResponseCheck } from '../response-check.ts';

export function registerWebhooks(_server: FastifyInstance, _app: App, _check?: ResponseCheck): void {}
