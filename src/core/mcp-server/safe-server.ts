import {
  type Implementation,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { explainError } from './tool-errors.ts';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** A server whose clients learn of expected failures, and of no others. */
export class SafeServer extends Server {
  readonly #reportBug: (error: unknown) => void;

  constructor(info: Implementation, options: ServerOptions, reportBug: (error: unknown) => void) {
    super(info, options);
    this.#reportBug = reportBug;
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, (request, context) => {
      try {
        return handler(request, context);
      } catch (error) {
        // What is thrown at once comes from the schema of the method: the SDK would make it an internal error.
        if (error instanceof ProtocolError) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The parameters of ${method} are not valid`);
      }
    });
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const message = explainError(error);
        if (message !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
        this.#reportBug(error);
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
      }
    };
  }
}
