import { useQuery } from '@tanstack/react-query';
import { lockedAccountsQuery } from '../../../api/security.ts';
import { counted, digits } from '../../../format/counted.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { BigNumber } from './big-number.tsx';
import { Loaded } from './loaded.tsx';

export function LockedAccounts() {
  const question = useQuery(lockedAccountsQuery);
  return (
    <Loaded question={question}>
      {({ data, total, clockAheadMs }) => (
        <>
          <BigNumber value={digits(total)}>
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
