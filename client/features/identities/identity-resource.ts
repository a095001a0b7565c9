import { identityTotalQuery } from '../../api/identities.ts';
import { identityQuery } from '../../api/identities-record.ts';
import { identityIdIn, mayBeWhole } from '../../format/identity-id.ts';
import { defineResource } from '../../resource/define-resource.ts';
import { timelineSearch } from '../../resource/timeline/timeline-kinds.ts';
import { IconUsers } from '../../ui/icons.ts';
import { parseIdentitiesSearch } from './identity-question.ts';
import { foundPageQuery } from './list/found-page-query.ts';

export const IDENTITIES = defineResource({
  to: '/identities',
  one: 'identity',
  many: 'identities',
  title: 'Identity',
  label: 'Identities',
  about: 'Find people, and view and edit their identities.',
  icon: IconUsers,
  letter: 'i',
  needs: ['identities.read'],
  recordNeeds: 'upstreams.read',
  find: {
    label: 'Find identity',
    search: (q) => ({ q }),
    directly: 'identity',
    open: 'Open identity',
    isSure: (text) => identityIdIn(text) !== undefined,
  },
  alsoFind: {
    label: 'Find identities that begin with',
    search: (text) => ({ q: text.replace(/\**$/, '*') }),
    directly: 'beginning',
    isLikelier: (text) => !mayBeWhole(text),
  },
  search: parseIdentitiesSearch,
  recordSearch: timelineSearch,
  preload: {
    list: (params) => [foundPageQuery(params), identityTotalQuery],
    record: (id) => (identityIdIn(id) === undefined ? undefined : identityQuery(id)),
    beforeSession: true,
  },
});
