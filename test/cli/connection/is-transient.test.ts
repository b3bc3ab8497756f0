import { expect, it } from 'vitest';
import { isTransient } from '../../../src/cli/connection/is-transient.ts';
import { CliError } from '../../../src/cli/errors/cli-error.ts';
import { exitCodes } from '../../../src/cli/errors/exit-codes.ts';
import { ApiError } from '../../../src/contract/client.ts';

it.each([
  [new ApiError(429, {}), true],
  [new ApiError(502, {}), true],
  [new ApiError(503, {}), true],
  [new ApiError(401, {}), false],
  [new ApiError(500, {}), false],
  [new ApiError(507, {}), false],
  [new CliError(exitCodes.unreachable, 'away'), true],
  [new CliError(exitCodes.invalid, 'wrong'), false],
  [Object.assign(new Error('reset'), { code: 'ECONNRESET' }), true],
  [new Error('bug'), false],
])('isTransient of "%s" is %s', (error, expected) => expect(isTransient(error)).toBe(expected));
