import { AppError } from '../errors.ts';

/** The task behind an answer failed; the same request would begin another one, so no client should repeat it automatically. */
export class AgentAnswerFailed extends AppError {
  constructor(message: string) {
    super('unavailable', message, { isLasting: true });
  }
}
