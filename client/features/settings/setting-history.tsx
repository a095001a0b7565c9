import { Suspense, useState } from 'react';
import { IconHistory } from '../../resource/icons.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Stack } from '../../ui/elements/layout.tsx';
import { lazyPanel } from '../../ui/loading/lazy-part.tsx';

const SubjectHistory = lazyPanel(() => import('../../audit-view/subject-history.tsx'), 'SubjectHistory');

/** Who changed or revealed the setting and when, loaded on demand; also for a deleted setting. */
export function SettingHistory({ settingKey }: { settingKey: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Stack gap="sm" mt="lg">
      <div>
        <Button
          size="compact-sm"
          variant="subtle"
          ml={-8}
          leftSection={<IconHistory size={14} />}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          History
        </Button>
      </div>
      <Suspense>
        {open && (
          <SubjectHistory
            subject={`setting:${settingKey}`}
            nothing="There are no records of this setting since the audit trail began."
          />
        )}
      </Suspense>
    </Stack>
  );
}
