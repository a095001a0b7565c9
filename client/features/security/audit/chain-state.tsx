import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { auditChainQuery } from '../../../api/audit.ts';
import { FailureNote } from '../../../ui/feedback/failure-panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { CHAIN_DOTS, formatChain } from './format-chain.ts';

/** Whether the records below are as they were written. */
export function ChainState() {
  const { data, error } = useQuery(auditChainQuery);
  if (data === undefined)
    return error === null ? (
      <Skeleton height={22} width="min(24rem, 100%)" />
    ) : (
      <div>
        <StatusDot status="off">The state of the chain is unknown.</StatusDot>
        <FailureNote error={error} />
      </div>
    );
  // In as few lines as can be, since what is below is on the screen already.
  return (
    <Text size="sm" component="div">
      {data.status === 'broken' ? (
        <div role="alert">
          <StatusDot status={CHAIN_DOTS.broken}>
            {formatChain(data)} Compare with the log and the last backup.
          </StatusDot>
        </div>
      ) : (
        <>
          <StatusDot status={CHAIN_DOTS[data.status]}>{formatChain(data)}</StatusDot>{' '}
          <Text span size="xs" c="dimmed">
            <RelativeTime at={data.as_of} />
          </Text>
        </>
      )}
    </Text>
  );
}
