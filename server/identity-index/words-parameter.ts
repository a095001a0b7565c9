import { SEARCH_MAX_CHARACTERS } from '../../shared/identity-search.ts';
import { questionWords } from '../../shared/question-words.ts';
import { badRequest } from '../http/api-error.ts';
import { textParameter } from '../http/page-parameters.ts';

/**
 * Parses a query parameter with words to look for. An empty one counts as absent.
 * @throws 400 that names it, also if nothing of it would be compared
 */
export function wordsParameter(name: string, value: unknown): string | undefined {
  const words = textParameter(value, SEARCH_MAX_CHARACTERS, () =>
    badRequest(name, `must be one string of at most ${SEARCH_MAX_CHARACTERS} characters without control characters`),
  );
  if (words !== undefined && questionWords(words).length === 0)
    throw badRequest(name, 'must contain a letter, a digit or a sign');
  return words;
}
