import { invalid } from '../kernel/errors.js';
import { isJsonObject, type JsonObject } from '../kernel/json.js';

/** The fields that an update sets: the body itself, or its `$set`. Throws 400 for anything else. */
export function fieldsToSet(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw invalid('The body must be a JSON object of fields to set.');
  const operators = Object.keys(body).filter(name => name.startsWith('$'));
  if (operators.length === 0) return body;
  if (operators.length < Object.keys(body).length)
    throw invalid('Send fields or update operators, not both.');
  const stranger = operators.find(name => name !== '$set');
  if (stranger !== undefined) throw invalid(`${stranger.slice(0, 40)} is no update operator of this service`);
  if (!isJsonObject(body.$set)) throw invalid('$set: expects an object of fields to set');
  return body.$set;
}
