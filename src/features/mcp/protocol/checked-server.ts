import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { shortened } from '../../../base/kernel/text.js';

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Maximum number of problems in one error (contract, "Sizes"). */
const MAX_PROBLEMS = 20;

/**
 * The SDK's server, except that params which do not fit their method are "invalid params". The SDK itself answers them
 * as an internal error, which a client takes for a fault of the service and tries again.
 */
export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return super._wrapHandler(method, (request, context) => {
      try {
        // Validates the request before it begins the work, so this does not throw what the work rejects with.
        return handler(request, context);
      } catch (error) {
        throw isUnfit(error) ? invalidParams(method, error.message) : error;
      }
    });
  }
}

/** True for the SDK's refusal of a request, which is a plain error. */
function isUnfit(error: unknown): error is Error {
  return error instanceof Error && error.constructor === Error;
}

function invalidParams(method: string, text: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `${method}: ${problemsIn(text)}`);
}

/** The problems in the text of a refusal, which is a list of issues as JSON. */
function problemsIn(text: string): string {
  try {
    const issues: { path: unknown[]; message: string }[] = JSON.parse(text);
    const problems = issues.map(({ path, message }) => `${shortened(path.join('.'))}: ${message}`);
    return problems.slice(0, MAX_PROBLEMS).join('; ');
  } catch {
    return 'the message does not fit the method';
  }
}
