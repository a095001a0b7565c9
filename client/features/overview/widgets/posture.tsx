import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PostureStatus } from '../../../../shared/security.ts';
import { postureQuery } from '../../../api/security.ts';
import { formatPosture, worstCheck } from '../../../audit-view/format-posture.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { Loaded } from './loaded.tsx';

const DOTS: Record<PostureStatus, 'good' | 'warning' | 'bad' | 'off'> = {
  pass: 'good',
  warn: 'warning',
  fail: 'bad',
  unknown: 'off',
};

/** The first tells enough to go there; all of them would be cut off. */
const firstSentence = (text: string): string => /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;

export function PostureLine() {
  const question = useQuery(postureQuery);
  return (
    <Loaded question={question}>
      {({ checks, as_of, clockAheadMs }) => {
        const worst = worstCheck(checks);
        return (
          <>
            <div>
              <StatusDot status={worst === undefined ? 'good' : DOTS[worst.status]}>{formatPosture(checks)}</StatusDot>
              {worst !== undefined && (
                <Text size="sm" c="dimmed" lineClamp={2}>
                  {worst.title}: {firstSentence(worst.detail)}
                </Text>
              )}
            </div>
            <Note of={`${checks.length} checks`} asOf={as_of} clockAheadMs={clockAheadMs} />
          </>
        );
      }}
    </Loaded>
  );
}
