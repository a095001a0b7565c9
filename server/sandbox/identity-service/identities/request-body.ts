import { decodeJson, GoJsonError, goTypeOf, isObject } from '../../go/json.ts';
import type { Call } from '../../http/call.ts';
import { malformed } from './identity-errors.ts';

/**
 * The body of a route that requires `application/json`: an object, unknown members included.
 * @throws IdentityServiceError 400
 */
export function requiredBody(call: Call): Record<string, unknown> {
  if (call.body === '')
    throw malformed('Unable to decode HTTP Request Body because its HTTP Header "Content-Length" is zero.');
  const type = call.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim() !== 'application/json')
    throw malformed(
      `HTTP ${call.method} Request used unknown HTTP Header "Content-Type: ${type}", only [application/json] are supported.`,
    );
  try {
    const value = decodeJson(call.body);
    if (isObject(value)) return value;
    throw new GoJsonError(`json: cannot unmarshal ${goTypeOf(value)} into Go value`);
  } catch (error) {
    if (error instanceof GoJsonError) throw malformed(`Unable to decode JSON payload: ${error.message}`);
    throw error;
  }
}
