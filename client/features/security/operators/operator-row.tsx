import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { roleName } from '../../../../shared/capabilities.ts';
import { OPERATOR_DAYS, type OperatorName, type OperatorSummary } from '../../../../shared/security.ts';
import { useOperator, useRefusal } from '../../../api/session.ts';
import { formatOperator } from '../../../audit-view/operator-names.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { GuardedButton } from '../../../ui/guarded-button.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import classes from '../row-list.module.css';
import { formatFactor } from './format-factor.ts';

export function OperatorRow(props: { operator: OperatorSummary; name: OperatorName | undefined; onEnd: () => void }) {
  const { operator, name, onEnd } = props;
  const { identity_id: id, role, last_login_at } = operator;
  const self = useOperator();
  const refusal = useRefusal('operators.write');
  const factor = formatFactor(operator.second_factor);
  const isSelf = id === self.identityId;
  const called = formatOperator(name);
  return (
    <li className={classes.row}>
      <div>
        <Group gap="xs">
          <Anchor
            component={Link}
            size="sm"
            title={id}
            to={'/identities/$id' as never}
            params={{ id } as never}
            preload={false}
          >
            {called ?? (
              <Text component="span" inherit ff="monospace">
                {id}
              </Text>
            )}
          </Anchor>
          {called !== undefined && <CopyButton label={`Copy the id of ${called}`} read={() => id} />}
          {name?.email != null && name.name !== null && (
            <Text span size="xs">
              {visibleText(name.name)}
            </Text>
          )}
          <Badge size="sm" variant="default" tt="none" fw={500}>
            {role === null ? 'Role unknown' : roleName(role)}
          </Badge>
          {isSelf && (
            <Text span size="xs" c="dimmed">
              {called === self.email ? 'you' : `you, ${self.email}`}
            </Text>
          )}
        </Group>
        <Group gap="xs" mt={2}>
          <StatusDot status={factor.dot}>
            <Text span size="xs">
              {factor.words}
            </Text>
          </StatusDot>
          <Text span size="xs" c="dimmed">
            {last_login_at === null ? (
              `no sign-in within ${OPERATOR_DAYS} days`
            ) : (
              <>
                signed in <RelativeTime at={last_login_at} />
              </>
            )}
            {' · '}
            <Anchor
              component={Link}
              inherit
              to={'/security/audit' as never}
              underline="always"
              search={{ actor: id } as never}
              preload={false}
            >
              View activity
            </Anchor>
          </Text>
        </Group>
      </div>
      <GuardedButton
        reason={refusal}
        size="compact-sm"
        variant="default"
        aria-label={`End dashboard sessions of ${isSelf ? 'yourself' : (called ?? id)}`}
        onClick={onEnd}
      >
        End dashboard sessions…
      </GuardedButton>
    </li>
  );
}
