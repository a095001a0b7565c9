import { SIGN_IN_FILTERS, type SignInFilter, signInsPageQuery } from '../../api/sign-ins.ts';
import { hasSignInLog } from '../../deployment.ts';
import { defineResource, type PagedSearch, pagedSearch } from '../../list/resource.ts';
import { IconLogin } from '../../ui/shell-icons.tsx';
import { textsIn } from './search-params.ts';

export const SIGN_INS = defineResource({
  to: '/security/sign-ins',
  one: 'entry',
  many: 'entries',
  title: 'Sign-in',
  label: 'Sign-ins',
  about: 'Who tried to sign in, and why it failed, as Kratos and Hydra report it.',
  icon: IconLogin,
  letter: 'w',
  needs: ['sign-ins.read'],
  // The service reports invalid values.
  search: (search): SignInFilter & PagedSearch => ({ ...textsIn(search, SIGN_IN_FILTERS), ...pagedSearch(search) }),
  preload: { list: (params) => (hasSignInLog() ? [signInsPageQuery(params)] : []), record: () => undefined },
});
