import type { AuditChainState } from '../../../../shared/audit.ts';
import { counted, digits } from '../../../format/counted.ts';

/** The state of the chain in a sentence. */
export function formatChain(chain: AuditChainState): string {
  switch (chain.status) {
    case 'whole':
      return chain.head === 0
        ? 'The chain has no records yet.'
        : `The chain is intact: all ${counted(chain.head, 'record', 'records')} verified.`;
    case 'checking':
      return `Checking the chain: ${digits(chain.verified_to)} of ${counted(chain.head, 'record', 'records')} verified so far.`;
    case 'broken':
      return `The chain is broken at record ${digits(chain.broken_at ?? chain.verified_to + 1)}: it, or one before it, was changed or removed.`;
  }
}

export const CHAIN_DOTS = { whole: 'good', checking: 'off', broken: 'bad' } as const;
