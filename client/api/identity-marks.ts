import type { QueryClient } from '@tanstack/react-query';
import { marksIn } from '../../shared/identity-name.ts';
import { learnMarks } from '../format/identity-name.ts';
import { identitySchemasQuery } from './identity-schemas.ts';

/** Without the schemas, people are named by the usual traits. */
const WAIT_MS = 2_000;

/**
 * What was read of people, once it is known which of their traits the schemas mark as identifiers: so nobody is drawn
 * without a name first. Schemas that are late or cannot be read keep nothing back.
 */
export async function withMarks<T>(client: QueryClient, reading: Promise<T>): Promise<T> {
  const marks = client.fetchQuery(identitySchemasQuery).then(
    ({ schemas }) => learnMarks(marksIn(schemas)),
    () => undefined,
  );
  const late = new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  const [read] = await Promise.all([reading, Promise.race([marks, late])]);
  return read;
}
