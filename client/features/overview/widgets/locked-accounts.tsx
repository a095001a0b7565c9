import { useQuery } from '@tanstack/react-query';
import { lockedAccountsQuery } from '../../../api/security.ts';
import { counted, digits } from '../../../format/counted.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { LOCKED_ACCOUNTS } from '../destinations.ts';
import { BigNumber } from './big-number.tsx';
import { Loaded } from './loaded.tsx';
import { useOpenDestination } from './use-open-destination.ts';

export function LockedAccounts() {
  const open = useOpenDestination();
  const question = useQuery(lockedAccountsQuery);
  return (
    <Loaded question={question}>
      {({ data, total, clockAheadMs }) => (
        <>
          <BigNumber
            value={digits(total)}
            leadsTo={open(LOCKED_ACCOUNTS)}
            label={counted(total, 'locked account', 'locked accounts')}
          >
            {data[0] === undefined ? 'Nobody is locked out' : `latest: ${data[0].identifier}`}
          </BigNumber>
          <Note
            of={counted(total, 'account', 'accounts')}
            asOf={new Date(question.dataUpdatedAt + clockAheadMs).toISOString()}
            clockAheadMs={clockAheadMs}
          />
        </>
      )}
    </Loaded>
  );
}
