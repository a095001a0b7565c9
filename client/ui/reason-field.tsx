import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { encodeReason, REASON_MAX_CHARACTERS } from '../../shared/reason.ts';
import { requiresReason } from '../deployment.ts';

/**
 * The field of a dialog for the operator's reason, which stays if the act fails.
 * @param isOffered false for acts that end and delete nothing
 * @returns `missing`: whether the act has to wait for a reason
 */
export function useReason(isOffered = true) {
  const [reason, setReason] = useState('');
  const required = isOffered && requiresReason();
  return {
    reason,
    missing: required && encodeReason(reason) === undefined,
    field: isOffered && (
      <TextInput
        label="Reason or ticket"
        description={`${required ? 'Required here. ' : ''}Recorded in the audit trail; it cannot be erased.`}
        required={required}
        data-autofocus={required || undefined}
        // Browsers store what was typed into other fields.
        autoComplete="off"
        maxLength={REASON_MAX_CHARACTERS}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    ),
  };
}
