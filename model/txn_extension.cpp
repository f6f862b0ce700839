#include "model/txn_extension.h"

tlm::tlm_extension_base *txn_extension::clone() const
{
    return new txn_extension(*this);
}

void txn_extension::copy_from(const tlm::tlm_extension_base &other)
{
    *this = static_cast<const txn_extension &>(other);
}

txn txn_of_payload(tlm::tlm_generic_payload &payload, const sc_core::sc_time &delay)
{
    static const txn_extension plain;
    const txn_extension *extension = payload.get_extension<txn_extension>();
    txn result = {};

    result.kind = payload.is_write() ? TXN_WRITE : TXN_READ;
    if (!extension)
        extension = &plain;
    result.addr = payload.get_address();
    result.size = payload.get_data_length();
    result.data = payload.get_data_ptr();
    result.requester = extension->requester;
    result.stream_id = extension->stream_id;
    result.substream_id = extension->substream_id;
    result.substream_valid = extension->substream_valid;
    result.privileged = extension->privileged;
    result.instruction = extension->instruction;
    result.coherent = extension->coherent;
    result.type = extension->type;
    result.sh = extension->sh;
    result.start_ps = now_ps() + delay.value();
    result.done_ps = result.start_ps;
    return result;
}

static tlm::tlm_response_status response_of(txn_status status)
{
    switch (status) {
    case TXN_OK:
        return tlm::TLM_OK_RESPONSE;
    case TXN_DECERR:
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case TXN_SLVERR:
    case TXN_FAULT:
        break;
    }
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

static txn_status status_of(const tlm::tlm_generic_payload &payload, const txn_extension &extension)
{
    if (payload.is_response_ok())
        return TXN_OK;
    if (extension.status != TXN_OK)
        return extension.status;
    return payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE ? TXN_DECERR : TXN_SLVERR;
}

void answer_payload(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay, const txn &txn)
{
    txn_extension *extension = payload.get_extension<txn_extension>();

    payload.set_response_status(response_of(txn.status));
    if (extension)
        extension->status = txn.status;
    delay = time_of_ps(txn.done_ps - now_ps());
}

txn_sender::txn_sender() : extension_(new txn_extension)
{
    payload_.set_extension(extension_);
}

txn_sender::~txn_sender()
{
    payload_.clear_extension(extension_);
    delete extension_;
}

sc_core::sc_time txn_sender::fill(const txn &txn)
{
    payload_.set_command(txn.kind == TXN_READ ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    payload_.set_address(txn.addr);
    payload_.set_data_ptr(txn.data);
    payload_.set_data_length(txn.size);
    payload_.set_streaming_width(txn.size);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    extension_->requester = txn.requester;
    extension_->stream_id = txn.stream_id;
    extension_->substream_id = txn.substream_id;
    extension_->substream_valid = txn.substream_valid;
    extension_->privileged = txn.privileged;
    extension_->instruction = txn.instruction;
    extension_->coherent = txn.coherent;
    extension_->type = txn.type;
    extension_->sh = txn.sh;
    extension_->status = TXN_OK;
    return time_of_ps(txn.start_ps > now_ps() ? txn.start_ps - now_ps() : 0);
}

void txn_sender::take(txn &txn, const sc_core::sc_time &delay)
{
    txn.status = status_of(payload_, *extension_);
    txn.done_ps = now_ps() + delay.value();
}
