import type { IdentityPage } from '../../../../shared/identities.ts';
import type { IdentityPageQuestion } from '../../../api/identities.ts';
import type { PageStep } from './list-address.ts';

/** A page that has arrived, and where it stands in the walk. */
export interface ShownPage {
  question: IdentityPageQuestion;
  pages: readonly PageStep[];
  page: IdentityPage;
}

/** The page after this one. A cursor that was walked already would lead round in a circle. */
export function nextStep(shown: ShownPage | undefined): PageStep | undefined {
  if (shown === undefined) return undefined;
  const { page, pages } = shown;
  const token = page.has_more ? page.next_page_token : null;
  if (token === null || pages.some((walked) => walked.token === token)) return undefined;
  return { token, before: (pages.at(-1)?.before ?? 0) + page.identities.length };
}
