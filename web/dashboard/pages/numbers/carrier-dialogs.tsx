import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { problemOf, problemsOf } from "../../app/errors.ts";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Foreign } from "../../ui/figures.tsx";
import { SelectField, TextField } from "../../ui/inputs.tsx";
import {
  CARRIER_CHOICES,
  CARRIER_KINDS,
  type Carrier,
  type CarrierForm,
  type CarrierType,
  carrierChangesOf,
  carrierFormOf,
  credentialsOf,
  NEW_CARRIER,
  newCarrierOf,
} from "./model/carriers.ts";
import "./numbers.css";

interface Props {
  onClose: () => void;
  onDone: (carrier: Carrier) => void;
}

interface FieldsProps {
  form: CarrierForm;
  onChange: (form: CarrierForm) => void;
  error: unknown;
}

/** Stores the credentials of an account at a carrier, or changes its name and limits. */
export function CarrierDialog({ carrier, onClose, onDone }: Props & { carrier?: Carrier }) {
  const [before] = useState<CarrierForm>(() => (carrier === undefined ? NEW_CARRIER : carrierFormOf(carrier)));
  const [form, setForm] = useState(before);
  const save = async (): Promise<void> => {
    if (carrier === undefined) onDone(await api.post("/carriers", { body: newCarrierOf(form) }));
    else {
      const body = carrierChangesOf(before, form);
      onDone(await api.patch("/carriers/{id}", { path: { id: carrier.id }, body }));
    }
  };
  return (
    <ConfirmDialog
      title={carrier === undefined ? "Add a carrier" : "Change the carrier"}
      action={carrier === undefined ? "Check and add" : "Save"}
      onClose={onClose}
      onConfirm={save}
    >
      {(error) => (
        <>
          {carrier === undefined && (
            <SelectField
              label="Carrier"
              value={form.carrier}
              onChange={(kind) => setForm({ ...form, carrier: kind as CarrierType })}
              choices={CARRIER_CHOICES}
              problem={problemOf(error, "carrier")}
            />
          )}
          <TextField
            label="Name"
            hint="What the account is for."
            required
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            problem={problemOf(error, "name")}
          />
          {carrier === undefined && <CredentialFields form={form} onChange={setForm} error={error} />}
          <LimitFields form={form} onChange={setForm} error={error} />
        </>
      )}
    </ConfirmDialog>
  );
}

const CredentialFields = ({ form, onChange, error }: FieldsProps) => (
  <>
    {CARRIER_KINDS[form.carrier].fields.map(({ name, label, hint, isSecret }) => (
      <TextField
        key={name}
        label={label}
        hint={hint}
        // No password manager stores it for the dashboard's address.
        {...(isSecret && { type: "password", autocomplete: "new-password" })}
        required
        value={form.credentials[name] ?? ""}
        onChange={(value) => onChange({ ...form, credentials: { ...form.credentials, [name]: value } })}
        problem={problemOf(error, `credentials.${name}`)}
      />
    ))}
  </>
);

const LimitFields = ({ form, onChange, error }: FieldsProps) => (
  <div class="numbers-fields">
    <TextField
      label="Calls a second"
      hint="From each number."
      inputMode="numeric"
      required
      value={form.callsPerSecond}
      onChange={(callsPerSecond) => onChange({ ...form, callsPerSecond })}
      problem={problemOf(error, "callsPerSecond")}
    />
    <TextField
      label="Calls at once"
      hint="Empty: no limit of its own."
      inputMode="numeric"
      value={form.maxConcurrentCalls}
      onChange={(maxConcurrentCalls) => onChange({ ...form, maxConcurrentCalls })}
      problem={problemOf(error, "maxConcurrentCalls")}
    />
    <TextField
      label="Countries that are called"
      hint="Such as DE, AT. Empty: that of the calling number."
      value={form.allowedCountries}
      onChange={(allowedCountries) => onChange({ ...form, allowedCountries })}
      problem={problemsOf(error, "allowedCountries")}
    />
    <TextField
      label="Special numbers that are called"
      hint="Premium, shared-cost, satellite and emergency numbers, or their beginnings, such as +49180. Empty: none."
      value={form.allowedNumbers}
      onChange={(allowedNumbers) => onChange({ ...form, allowedNumbers })}
      problem={problemsOf(error, "allowedNumbers")}
    />
  </div>
);

/** Replaces the credentials of a carrier. */
export function CredentialsDialog({ carrier, onClose, onDone }: Props & { carrier: Carrier }) {
  const [form, setForm] = useState<CarrierForm>(() => ({
    ...carrierFormOf(carrier),
    credentials: carrier.credentials,
  }));
  return (
    <ConfirmDialog
      title="Give the carrier new credentials"
      action="Check and save"
      onClose={onClose}
      onConfirm={async () => {
        const body = { credentials: credentialsOf(form) };
        onDone(await api.patch("/carriers/{id}", { path: { id: carrier.id }, body }));
      }}
    >
      {(error) => (
        <>
          <p>
            The service asks the carrier whether it accepts them. From then on webhooks and streams of{" "}
            <Foreign text={carrier.name} /> are checked by the new ones alone.
          </p>
          <CredentialFields form={form} onChange={setForm} error={error} />
        </>
      )}
    </ConfirmDialog>
  );
}

export const DeleteCarrierDialog = ({ carrier, onClose, onDone }: Props & { carrier: Carrier }) => (
  <ConfirmDialog
    title="Delete the carrier?"
    action="Delete the carrier"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await api.delete("/carriers/{id}", { path: { id: carrier.id } });
      onDone(carrier);
    }}
  >
    <p>
      The credentials of <Foreign text={carrier.name} /> and its numbers leave this service. The carrier keeps the
      account and the numbers. Detach its numbers first.
    </p>
  </ConfirmDialog>
);
