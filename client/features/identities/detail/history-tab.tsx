import { Link } from '@tanstack/react-router';
import { identityQuery } from '../../../api/identities-record.ts';
import { SubjectHistory } from '../../../audit-view/subject-history.tsx';
import { useRecord } from '../../../resource/detail/use-record.ts';
import { Stack } from '../../../ui/elements/layout.tsx';
import { Anchor } from '../../../ui/elements/text.tsx';

export function HistoryTab() {
  const { id } = useRecord(identityQuery);
  return (
    <Stack gap="sm">
      <SubjectHistory
        subject={`identity:${id}`}
        nothing="No operator has changed this identity since the audit trail began. Changes that people make themselves are not recorded."
      />
      <Anchor component={Link} size="sm" to="/security/audit" search={{ actor: id } as never} preload={false}>
        View this identity’s actions as an operator
      </Anchor>
    </Stack>
  );
}
